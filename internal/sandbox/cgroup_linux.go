package sandbox

type cgroup struct{ pids, memory string }

func newCgroup(Bounds) *cgroup { return &cgroup{} }
func (*cgroup) add(int)        {}
func (*cgroup) remove()        {}
