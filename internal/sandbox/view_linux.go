package sandbox

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// systemDirs are shown whole: programs and what they are made of.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix"}

// systemFiles are what programs look for elsewhere. Of /etc only this is shown,
// for it has keys, users and addresses besides.
var systemFiles = []string{
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/timezone",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem", "/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf",
	"/etc/pki/ca-trust/extracted", "/etc/crypto-policies", "/etc/protocols", "/etc/services", "/etc/mime.types",
	"/etc/magic", "/etc/os-release", "/etc/debian_version", "/etc/terminfo", "/etc/fonts", "/etc/locale.alias",
	"/etc/java", "/etc/perl", "/etc/python3", "/etc/R", "/etc/texmf", "/etc/ImageMagick-6", "/etc/ImageMagick-7",
}

var systemDevices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// systemLinks are made in a private root. What shared memory takes counts as
// tmp that way.
var systemLinks = map[string]string{
	"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0", "/dev/stdout": "/proc/self/fd/1",
	"/dev/stderr": "/proc/self/fd/2", "/dev/shm": privateTmp, "/etc/mtab": "/proc/self/mounts", "/var/tmp": privateTmp,
}

// view lists the places of a private root for a spec, outer ones first.
func view(spec Spec, uid, gid int) ([]place, error) {
	var out []place
	for _, dir := range systemDirs {
		info, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		if info.Mode()&os.ModeSymlink != 0 {
			if to, err := os.Readlink(dir); err == nil {
				out = append(out, place{Kind: symlink, Path: dir, Data: to})
			}
			continue
		}
		out = append(out, place{Kind: readOnly, Path: dir})
	}
	for _, file := range systemFiles {
		if _, err := os.Stat(file); err == nil {
			out = append(out, place{Kind: readOnly, Path: file})
		}
	}
	for _, file := range systemDevices {
		if _, err := os.Stat(file); err == nil {
			out = append(out, place{Kind: device, Path: file})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(systemLinks)) {
		out = append(out, place{Kind: symlink, Path: path, Data: systemLinks[path]})
	}
	out = append(out, identity(uid, gid)...)
	granted, err := grants(spec)
	if err != nil {
		return nil, err
	}
	return slices.Concat(out, granted, keeps(spec)), nil
}

// identity is who there is inside: no names or homes of real users.
func identity(uid, gid int) []place {
	users, groups := "root:x:0:0:root:/tmp:/bin/sh\n", "root:x:0:\n"
	if uid != 0 {
		users += fmt.Sprintf("user:x:%d:%d:user:/tmp:/bin/sh\n", uid, gid)
	}
	if gid != 0 {
		groups += fmt.Sprintf("user:x:%d:\n", gid)
	}
	return []place{
		{plainFile, "/etc/passwd", users + "nobody:x:65534:65534:nobody:/:/bin/false\n"},
		{plainFile, "/etc/group", groups + "nogroup:x:65534:\n"},
		{plainFile, "/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"},
		{plainFile, "/etc/hosts", "127.0.0.1 localhost sandbox\n::1 localhost\n"},
		{plainFile, "/etc/hostname", "sandbox\n"},
	}
}

// grants are what the spec shows, outer places first. What may be written may be
// read, so reading it is not mentioned again.
func grants(spec Spec) ([]place, error) {
	var out []place
	for _, path := range spec.Write {
		out = append(out, place{Kind: writable, Path: filepath.Clean(path)})
	}
	for _, path := range spec.Read {
		if path = filepath.Clean(path); innermost(path, spec.Write) == "" {
			out = append(out, place{Kind: readOnly, Path: path})
		}
	}
	for _, e := range out {
		if !filepath.IsAbs(e.Path) {
			return nil, fmt.Errorf("%s is not an absolute path", e.Path)
		}
		for _, taken := range []string{"/", "/proc", "/dev", privateTmp} {
			if e.Path == taken {
				return nil, fmt.Errorf("%s as a whole cannot be given to a program", e.Path)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b place) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(out, func(a, b place) bool { return a.Path == b.Path }), nil
}

// realPaths are paths without symbolic links, of those that exist.
func realPaths(paths []string) []string {
	var out []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			out = append(out, real)
		}
	}
	return out
}

// innermost is the longest of folders that has a path below it, or is it.
func innermost(path string, folders []string) string {
	best := ""
	for _, f := range folders {
		f = filepath.Clean(f)
		if (path == f || strings.HasPrefix(path, strings.TrimSuffix(f, "/")+"/")) && len(f) > len(best) {
			best = f
		}
	}
	return best
}

// keeps are the places that stay as they are below what may be written. The
// folders and links on the way there are held in place too: else one could be
// renamed and another put there. Where a link leads is kept as well.
func keeps(spec Spec) []place {
	var out []place
	done := map[string]placeKind{}
	waiting := slices.Clone(spec.Keep)
	slices.Sort(waiting)
	for links := 0; len(waiting) > 0; waiting = waiting[1:] {
		path := filepath.Clean(waiting[0])
		base := innermost(path, spec.Write)
		if base == "" {
			continue // it cannot be written anyway
		}
		rest := strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, base), "/"), "/")
		at, kind := base, pinned
		for i := 0; i < len(rest) && kind == pinned; i++ {
			at = filepath.Join(at, rest[i])
			if kind = done[at]; kind != "" {
				continue
			}
			kind = keepKind(at, i == len(rest)-1)
			done[at] = kind
			out = append(out, place{Kind: kind, Path: at})
			// A chain of links may be a circle.
			if to, err := os.Readlink(at); err == nil && links < maxLinks {
				links++
				if !filepath.IsAbs(to) {
					to = filepath.Join(filepath.Dir(at), to)
				}
				waiting = append(waiting, filepath.Join(append([]string{to}, rest[i+1:]...)...))
			}
		}
	}
	return out
}

// maxLinks is how many links are followed, as many as the kernel does.
const maxLinks = 40

// keepKind says how one path on the way to what is kept is held.
func keepKind(path string, last bool) placeKind {
	info, err := os.Lstat(path)
	switch {
	case err != nil || isReserved(info.Sys().(*syscall.Stat_t).Mode):
		return reserved
	case info.Mode()&os.ModeSymlink != 0:
		return linked
	case last || !info.IsDir():
		return kept
	}
	return pinned
}
