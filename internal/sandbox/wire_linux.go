package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// control is the descriptor by which a stage talks with its parent. Its end is
// the end of the stage, so that a parent which is killed leaves nothing behind.
const control = 3

// maxMessage is far above what arguments and environment of a process can be
// together, which is 2 MiB unless somebody raised it.
const maxMessage = 16 << 20

// readFull reads what the parent sends.
func readFull(buf []byte) error {
	for len(buf) > 0 {
		n, err := unix.Read(control, buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n == 0:
			return io.ErrUnexpectedEOF
		}
		buf = buf[n:]
	}
	return nil
}

// receivePolicy reads what the parent sends first.
func receivePolicy() (*policy, error) {
	kind, err := unix.GetsockoptInt(control, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil || kind != unix.AF_UNIX {
		return nil, errNoParent
	}
	unix.CloseOnExec(control)
	tell(message{Ready: true}, -1)
	var size [4]byte
	if err := readFull(size[:]); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoParent, err)
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxMessage {
		return nil, errNoParent
	}
	data := make([]byte, n)
	if err := readFull(data); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoParent, err)
	}
	p := &policy{}
	return p, json.Unmarshal(data, p)
}

// frame puts its size before a message.
func frame(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(data) > maxMessage {
		return nil, errors.New("arguments and environment are too large")
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...), nil
}

// tell sends a message from a stage to its parent, with a descriptor if fd is
// not negative. A parent that is gone is noticed elsewhere.
func tell(m message, fd int) {
	data, err := frame(m)
	if err != nil {
		return
	}
	var rights []byte
	if fd >= 0 {
		rights = unix.UnixRights(fd)
	}
	for len(data) > 0 {
		n, err := unix.SendmsgN(control, data, rights, nil, unix.MSG_NOSIGNAL)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return
		}
		data, rights = data[n:], nil
	}
}

// hear reads one message of a stage, and the file that came with it, if any.
func hear(conn *net.UnixConn) (message, *os.File, error) {
	var m message
	var file *os.File
	size := make([]byte, 4)
	oob := make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := conn.ReadMsgUnix(size, oob)
	if err != nil {
		return m, nil, err
	}
	if n == 0 {
		return m, nil, io.EOF
	}
	if oobn > 0 {
		file = receivedFile(oob[:oobn])
	}
	if _, err := io.ReadFull(conn, size[n:]); err != nil {
		return m, file, err
	}
	length := binary.BigEndian.Uint32(size)
	if length > maxMessage {
		return m, file, errors.New("the stage sent nonsense")
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(conn, data); err != nil {
		return m, file, err
	}
	return m, file, json.Unmarshal(data, &m)
}

func receivedFile(oob []byte) *os.File {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil || len(messages) == 0 {
		return nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return nil
	}
	return os.NewFile(uintptr(fds[0]), "listener")
}
