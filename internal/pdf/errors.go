package pdf

import "errors"

var (
	// ErrNotPDF is for a file that does not begin like a PDF.
	ErrNotPDF = errors.New("it is no PDF")
	// ErrDamaged is matched by errors for what cannot be read.
	ErrDamaged = errors.New("it is damaged")
	// ErrEncrypted is for a file that needs a password, or a cipher that is not known here.
	ErrEncrypted = errors.New("it is encrypted; save a copy without a password")
	// ErrNoText is for pages that have none.
	ErrNoText = errors.New("no text in it; it may be scanned")
	// ErrWork is for a file that would be read over and over.
	ErrWork = errors.New("it takes too much work to read; it may refer to itself")
	// ErrPages is matched by errors for pages that do not exist or make no sense.
	ErrPages = errors.New("these pages cannot be read")
	// ErrLarge is for a file that is larger than is read.
	ErrLarge = errors.New("it is larger than 64 MiB")

	// errNoResolve is for a tool that was made without what its plans need.
	errNoResolve = errors.New("pdf_read cannot tell which file it would read: Options.Resolve is missing")
	// errEnough ends a page whose text has no room.
	errEnough = errors.New("enough")
)
