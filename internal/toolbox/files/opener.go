package files

import (
	"context"
	"errors"
	"io"
)

// Opener opens files for tools that read them in their own way, as file_read
// would: within the same folders, and not without what Opened says. The text that
// goes along is the path as rules name it.
func Opener(opt Options) func(ctx context.Context, path string) (io.ReadCloser, string, error) {
	set := &toolset{Options: opt}
	return func(ctx context.Context, path string) (io.ReadCloser, string, error) {
		a, err := set.area()
		if err != nil {
			return nil, "", err
		}
		s, err := a.walk(path)
		if err != nil {
			return nil, "", err
		}
		defer s.close()
		f, _, err := s.open(a)
		if err != nil {
			return nil, "", err
		}
		if set.Opened != nil {
			if refusal := set.Opened(ctx, s.real); refusal != "" {
				return nil, "", errors.Join(errors.New(refusal), f.Close())
			}
		}
		return f, a.show(s.real), nil
	}
}
