package pdf

import (
	"fmt"
	"io"
)

// budget reads a file until a number of bytes have been read or unpacked. Then it
// panics with [ErrWork], for the library takes an error for the end of what it
// reads.
type budget struct {
	r      io.ReaderAt
	left   int64
	header string // laid over the beginning
}

// ReadAt reads from a place.
func (b *budget) ReadAt(p []byte, offset int64) (int, error) {
	// A read has its price even if it is short, since something follows from it.
	b.spend(max(int64(len(p)), 4096))
	if offset < 0 {
		return 0, fmt.Errorf("%w: a place before its beginning", ErrDamaged)
	}
	n, err := b.r.ReadAt(p, offset)
	if offset < int64(len(b.header)) {
		copy(p[:n], b.header[offset:])
	}
	return n, err
}

func (b *budget) spend(n int64) {
	if b.left -= n; b.left < 0 {
		panic(ErrWork)
	}
}

// guard turns a panic into an error.
func guard(do func() error) (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case error:
			err = x
		default:
			err = fmt.Errorf("%v", x)
		}
	}()
	return do()
}
