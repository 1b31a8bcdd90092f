package pdf

import (
	"bytes"
	"fmt"
	"io"

	library "github.com/ledongthuc/pdf"
)

// maxStream is how much one stream may unpack to: a page of dense text has a
// hundredth of that.
const maxStream = 32 << 20

// program follows the operators of a stream. The library can only follow a stream
// of a file, without end if it unpacks without end or stops within a string. So
// it is unpacked here, up to a size, and the library gets it as the only stream
// of a file made for that, with an end that closes what is open.
func (b *budget) program(stream library.Value, do func(args []library.Value, stack *library.Stack, operator string)) {
	data, err := io.ReadAll(io.LimitReader(stream.Reader(), maxStream+1))
	b.spend(int64(len(data)))
	switch {
	case len(data) > maxStream:
		panic(fmt.Errorf("%w: a page unpacks to more than %d MiB", ErrWork, maxStream>>20))
	case err != nil && len(data) == 0:
		panic(err)
	}
	file, wrong := library.NewReader(alone(data))
	if wrong != nil {
		panic(wrong)
	}
	library.Interpret(file.Trailer().Key("Root"), func(stack *library.Stack, operator string) {
		do(popAll(stack), stack, operator)
	})
	if err != nil { // what came before it was followed
		panic(err)
	}
}

// alone is a file with one stream.
func alone(data []byte) (io.ReaderAt, int64) {
	var out bytes.Buffer
	out.WriteString(header)
	start := out.Len()
	const closing = "\n>>\n" // ends a string of digits; alone it is nothing
	fmt.Fprintf(&out, "1 0 obj\n<< /Length %d >>\nstream\n", len(data)+len(closing))
	out.Write(data)
	out.WriteString(closing)
	out.WriteString("endstream\nendobj\n")
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 2\n%010d 65535 f \n%010d 00000 n \ntrailer\n<< /Size 2 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", 0, start, table)
	return bytes.NewReader(out.Bytes()), int64(out.Len())
}

func popAll(stack *library.Stack) []library.Value {
	args := make([]library.Value, stack.Len())
	for i := len(args) - 1; i >= 0; i-- {
		args[i] = stack.Pop()
	}
	return args
}
