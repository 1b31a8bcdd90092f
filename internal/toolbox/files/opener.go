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
		f, real, subject, err := set.openAt(path)
		if err != nil {
			return nil, "", err
		}
		if set.Opened != nil {
			if refusal := set.Opened(ctx, real); refusal != "" {
				return nil, "", errors.Join(errors.New(refusal), f.Close())
			}
		}
		return f, subject, nil
	}
}

// Resolver is for the plans of such tools: it tells the path as rules name it of
// what [Opener] would open, or why it would not. Opened is not asked, for that is
// to activate skills.
func Resolver(opt Options) func(ctx context.Context, path string) (subject string, err error) {
	set := &toolset{Options: opt}
	return func(_ context.Context, path string) (string, error) {
		f, _, subject, err := set.openAt(path)
		if err != nil {
			return "", err
		}
		return subject, f.Close()
	}
}

// openAt opens a file, and tells its real path and that by which rules name it.
func (set *toolset) openAt(path string) (f io.ReadCloser, real, subject string, err error) {
	a, err := set.area()
	if err != nil {
		return nil, "", "", err
	}
	s, err := a.walk(path)
	if err != nil {
		return nil, "", "", err
	}
	defer s.close()
	if f, _, err = s.open(a); err != nil {
		return nil, "", "", err
	}
	return f, s.real, a.show(s.real), nil
}
