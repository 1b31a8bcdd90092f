// Package sandbox confines a child process, and tells how well.
//
// There are four layers. A [Box] finds out which of them work here by starting
// each, and takes the strongest:
//
//	namespaces  own user, mount, process, network, IPC and host name spaces with
//	            a private root, and inside of them what landlock does
//	bubblewrap  the same spaces, made by the bwrap program, where this binary may
//	            not make them itself
//	landlock    Landlock for files, seccomp for system calls and sockets, a
//	            supervisor that leaves no process behind
//	limits      time, memory, processes, file size, environment; no containment
//	            of files or network
//
// A process sees system directories, what its [Spec] lets it read, and what that
// lets it write. It has no network, or reaches a proxy in the parent, which
// decides about every connection. It has a tmp of its own, no more environment
// than it is given, no open files but its streams, and no privileges, also where
// the caller is root. When it ends, or its time does, everything that it started
// ends with it. What it leaves lends nobody any rights: no contained process can
// set the bits for the user or group on a file, nor, since the two cannot be told
// apart, on a folder. Calls that hide a mode from filters are not there.
//
// Restrictions hold for a whole process, so the program is started again as a
// stage of its own: the first statement of main has to be [Child]. Without that,
// only limits are left. The stage makes the surroundings, forks, restricts the
// fork, and stays as the one who reaps and sweeps. It gets its policy by a socket;
// when that closes, for whatever reason, it ends everything, and itself. The
// program is opened once and started from there: what is put at its path later is
// never a stage, and where it lies in a writable folder, it is kept.
//
// What is to be kept below a writable folder and is not there yet is held by an
// empty folder while the program runs. Bubblewrap has nobody to take that away
// when the caller itself is killed: the next process that is to keep it does, in
// any layer. Where only Landlock is left, nothing can
// be excepted from a folder: a process that has to be contained can then make,
// remove or rename nothing beside what is kept, and any other process may write
// that too. The report says which.
package sandbox

import (
	"context"
	"io"
	"net"
	"time"
)

// Layer is a mechanism of containment.
type Layer string

// The layers, strongest first.
const (
	Namespaces Layer = "namespaces"
	Bubblewrap Layer = "bubblewrap"
	Landlock   Layer = "landlock"
	Limits     Layer = "limits"
)

// layers are all of them, strongest first.
var layers = [...]Layer{Namespaces, Bubblewrap, Landlock, Limits}

// Contains reports whether files and network are contained.
func (l Layer) Contains() bool { return l == Namespaces || l == Bubblewrap || l == Landlock }

// Options say what a sandbox may use.
type Options struct {
	// Program is a binary whose main calls [Child] first: this one, as a rule, and
	// then it is the one that runs, also if another is at its path by now. Empty
	// leaves only limits.
	Program string
	// Layer is the only one to use; empty takes the strongest that works.
	Layer Layer
	// Path is where bwrap is searched, in the form of PATH. Of its folders only
	// those count in which the system has its programs and only root can put any.
	Path string
}

// Spec is one process to run. All paths are absolute.
type Spec struct {
	Argv []string // Argv[0] is looked up in the PATH of Env if it has no slash
	Env  []string // all of its environment; HOME and TMPDIR are set to the private tmp
	Dir  string

	Stdin          io.Reader // nil is empty
	Stdout, Stderr io.Writer

	// Read are the files and folders it may read and execute, besides the
	// system's own. Write are those it may change; Keep are those below Write that
	// it may only read all the same, whether or not they exist yet.
	Read, Write, Keep []string
	// Proxy serves connections that are made to the address in HTTP_PROXY and
	// HTTPS_PROXY of the process, until the listener is closed. Nil is no network.
	Proxy func(net.Listener)
	// Bounds is the most it may use; a zero in it is the default.
	Bounds Bounds
	// Contained refuses layers that do not contain files and network.
	Contained bool
}

// Bounds are the most a process and its children may use.
type Bounds struct {
	Memory    int64         // bytes, of each process, and of all where the machine can count them
	Processes int           // at once
	FileSize  int64         // bytes of one file
	Tmp       int64         // bytes of the private tmp
	CPU       time.Duration // of each process
	Files     int           // open at once, in each process
}

// Defaults are the bounds of a skill's tool. A compiler or a browser's engine
// fits; a mistake does not take the machine along.
var Defaults = Bounds{
	Memory: 2 << 30, Processes: 256, FileSize: 1 << 30, Tmp: 512 << 20, CPU: 5 * time.Minute, Files: 1024,
}

// Result is how a process ended.
type Result struct {
	Exit   int    // its exit code; -1 if a signal ended it
	Signal string // the signal, such as "killed"
	// TimedOut tells that the context ended before the process did.
	TimedOut bool
	Report   Report
}

// Report tells how a process was contained. What is in force is told by the
// stage that applied it, not by what was planned.
type Report struct {
	Layer     Layer
	Landlock  int    // its version; 0 is none
	Files     string // what it could touch, in a few words
	Network   string
	Processes string
	Weak      []string // promises of the layer that this machine cannot keep
}

// Status is what became of trying a layer.
type Status struct {
	Layer Layer
	Works bool
	Why   string // why it does not work, or what is weak about it
}

// Runner runs confined processes. Toolboxes take it as an interface so that they
// can be tested without.
type Runner interface {
	// Run starts a process and waits until it and all that it started are gone.
	// The end of ctx ends them. An error means that it did not start; one that is
	// [ErrUncontained] that no layer contains it here.
	Run(ctx context.Context, spec Spec) (Result, error)
	// Expect is the report that Run would make of a spec.
	Expect(ctx context.Context, spec Spec) Report
}
