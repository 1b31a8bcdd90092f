package catalog

import "time"

// pace is how long a watch waits.
type pace struct {
	settle time.Duration // after the last event
	most   time.Duration // after the first
	poll   time.Duration // between scans where events are not to be had
}

func defaultPace() pace {
	return pace{settle: 250 * time.Millisecond, most: 2 * time.Second, poll: 2 * time.Second}
}
