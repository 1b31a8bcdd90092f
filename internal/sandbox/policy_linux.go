package sandbox

// policy is what the parent tells a stage to do, over the socket that the stage
// inherits as descriptor control. Nothing of it is in the environment or the
// arguments, where the confined program could read it.
type policy struct {
	Layer     Layer
	Argv, Env []string
	Dir       string
	Bounds    Bounds

	// View is the private root, of namespaces only: bubblewrap has made it
	// already, and the other layers have none.
	View []place
	// Private tells that the stage is the first process of a process namespace.
	Private bool
	// Switch tells to run the program as UID and GID instead of the caller's.
	Switch   bool
	UID, GID int
	// Read, Write and Devices are what Landlock lets the program touch.
	// Inside may be written like Write, but are what an earlier program may have
	// made: symbolic links in them are not followed.
	Read, Write, Inside, Devices []string

	Strict  bool   // rights and owners of files cannot be changed
	Confine bool   // Landlock and seccomp apply
	Caps    uint64 // the capabilities that are left
	Proxy   bool   // the program is told of a proxy
	Port    int    // of the proxy; 0 is for the stage to open it and hand it out
	Count   int    // the stage counts processes, and ends all above so many
}

// placeKind says what a place of the private root is made of.
type placeKind string

const (
	readOnly  placeKind = "ro"   // of the host, read-only
	writable  placeKind = "rw"   // of the host
	device    placeKind = "dev"  // a device node of the host
	kept      placeKind = "keep" // what is there already, read-only from now on
	pinned    placeKind = "pin"  // what is there already, held where it is
	linked    placeKind = "lock" // a symbolic link that is there, held where it is
	reserved  placeKind = "hold" // nothing is there, and nothing may be
	symlink   placeKind = "link" // Data is where it points
	plainFile placeKind = "file" // Data is what it says
	folder    placeKind = "dir"
)

// place is one entry of the private root. It is at the same path as on the host.
type place struct {
	Kind placeKind
	Path string
	Data string `json:",omitempty"`
}

// message is what a stage tells the parent, in this order: Ready, whereupon it
// gets its policy; Listening with the listener attached, if there is a proxy;
// Started or Failed; Ended.
type message struct {
	Ready     bool      `json:",omitempty"`
	Listening bool      `json:",omitempty"`
	Started   *applied  `json:",omitempty"`
	Failed    string    `json:",omitempty"`
	Ended     *endState `json:",omitempty"`
}

// applied is what a stage applied.
type applied struct {
	Landlock int
	Seccomp  bool
	Weak     []string
}

// endState is how the program ended.
type endState struct {
	Exit   int
	Signal int
	Over   bool // it was ended for having too many processes
}
