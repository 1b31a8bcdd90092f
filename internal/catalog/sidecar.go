package catalog

import "slices"

// hearSidecar remembers the first sidecar of a folder, in order of Sidecars.
func (w *worker) hearSidecar(name string) {
	if i := slices.Index(w.s.c.opt.Sidecars, name) + 1; i > 0 && (w.sidecar == 0 || i < w.sidecar) {
		w.sidecar = i
	}
}

// askSidecars asks for sidecars by name, where not all names were heard.
func (w *worker) askSidecars(dir folder) {
	for _, name := range w.s.c.opt.Sidecars {
		if _, _, err := dir.lstat(name); err == nil {
			w.hearSidecar(name)
		}
	}
}

// sidecarName is the name of the sidecar that was heard, "" if none was.
func (w *worker) sidecarName() string {
	if w.sidecar == 0 {
		return ""
	}
	return w.s.c.opt.Sidecars[w.sidecar-1]
}
