package catalog

import (
	"io/fs"
	"time"
)

// stamp tells whether a file or folder may have changed, without reading it.
// The zero stamp is that of something that must be read: it equals none.
type stamp struct {
	mtime, ctime int64 // nanoseconds; ctime is 0 where the system has none
	inode        uint64
	size         int64
	mode         uint32 // type and permissions, as the system encodes them
	// links is how many names a file has, 0 where the system does not tell. It
	// is not kept: another name changes ctime too.
	links uint32
}

// same reports whether what has the two stamps is unchanged.
func (s stamp) same(t stamp) bool {
	s.links, t.links = 0, 0
	return s == t && s != stamp{}
}

const (
	// fineTick is more than the 10 ms by which the clock of a file system may
	// lag behind the clock of its machine.
	fineTick = int64(20 * time.Millisecond)
	// coarseTick is the resolution of FAT, the coarsest that is in use.
	coarseTick = int64(2 * time.Second)
)

// settled returns s if a later change must show in it, else the zero stamp: a
// file written within one tick of the clock before it was read can be written
// again within the same tick, and then looks the same. scan is a moment before
// the stamp was taken; if it is zero no stamp is settled.
func (s stamp) settled(scan time.Time) stamp {
	if scan.IsZero() {
		return stamp{}
	}
	now := scan.UnixNano()
	for _, t := range [...]int64{s.mtime, s.ctime} {
		tick := fineTick
		if t%int64(time.Second) == 0 {
			tick = coarseTick
		}
		if t > now-tick {
			return stamp{}
		}
	}
	return s
}

func (w *wire) stamp(s *stamp) {
	m, c := uint64(s.mtime), uint64(s.ctime)
	w.fixed64(&m)
	w.fixed64(&c)
	s.mtime, s.ctime = int64(m), int64(c)
	w.uint64(&s.inode)
	w.int64(&s.size)
	mode := uint64(s.mode)
	w.uint64(&mode)
	s.mode = uint32(mode)
}

// stampBytes is the least that a stamp takes.
const stampBytes = 8 + 8 + 1 + 1 + 1

// kind is what a name in a folder stands for.
type kind uint8

const (
	folderKind kind = iota + 1
	fileKind
	linkKind
	otherKind // a pipe, socket or device
)

func kindOf(mode fs.FileMode) kind {
	switch mode.Type() {
	case 0:
		return fileKind
	case fs.ModeDir:
		return folderKind
	case fs.ModeSymlink:
		return linkKind
	}
	return otherKind
}
