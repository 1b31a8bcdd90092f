package catalog

import "slices"

// hearSidecar remembers the first sidecar of a folder, in order of Sidecars.
func (w *worker) hearSidecar(name string) {
	if i := slices.Index(w.s.c.opt.Sidecars, name) + 1; i > 0 && (w.sidecar == 0 || i < w.sidecar) {
		w.sidecar = i
	}
}

// sidecarName is the name of the sidecar that was heard, "" if none was.
func (w *worker) sidecarName() string {
	if w.sidecar == 0 {
		return ""
	}
	return w.s.c.opt.Sidecars[w.sidecar-1]
}
