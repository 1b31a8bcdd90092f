package policy

import "github.com/knackhq/knack/internal/hostname"

// HostWithin reports whether a host, with its port if that is known, is one of
// those that [Decision.Reach] returns. A host without a port is within only
// where any port is.
func HostWithin(host string, hosts []string) bool { return hostname.Within(host, hosts) }
