// Package hostname is how hosts are written where people grant them: a name or
// an address, *.example.org for all names below one, either with a port behind it
// if only that port is meant.
//
// [Parse] takes only what means the same to everybody who will read it. What a
// resolver may take for an address (127.1, 0x7f000001), what is a whole top-level
// domain, and what is more than a host (a scheme, a user, a path) is refused with
// what to write instead. Deciding whether a request may be sent is [Within] for
// the name; where the name leads is for those who resolve it.
package hostname

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/knackhq/knack/internal/wording"
)

// Pattern is a host, or all hosts below a name. The zero value is none.
type Pattern struct {
	below bool   // *.name
	name  string // in lower case; an address in its shortest form
	port  string // none is any
	ip    netip.Addr
}

// String writes the host so that [Parse] reads the same.
func (h Pattern) String() string {
	name := h.name
	if h.below {
		name = "*." + name
	}
	switch {
	case h.port != "":
		return net.JoinHostPort(name, h.port)
	case h.ip.Is6():
		return "[" + name + "]"
	}
	return name
}

// Name is the host without its port, in lower case; an address in its shortest
// form, without brackets. Of all hosts below a name it is that name.
func (h Pattern) Name() string { return h.name }

// Below reports whether all hosts below the name are meant, and not itself.
func (h Pattern) Below() bool { return h.below }

// Port is the only port that is meant; empty is any.
func (h Pattern) Port() string { return h.port }

// Addr is the address, not valid if the host is a name.
func (h Pattern) Addr() netip.Addr { return h.ip }

// hostError is a host that cannot be taken, and what to write instead.
func hostError(text, why string) error {
	return fmt.Errorf("%s is no host that can be granted: %s", wording.Quote(wording.Name(text)), why)
}

// Parse reads a host as people write it, in any letter case.
func Parse(text string) (Pattern, error) {
	h := Pattern{name: strings.ToLower(strings.TrimSpace(text))}
	switch {
	case h.name == "" || h.name == "*":
		return h, hostError(text, "name one, such as api.example.com or *.example.com")
	case strings.Contains(h.name, "://"):
		return h, hostError(text, "leave out what stands before the host, as in api.example.com")
	case strings.ContainsAny(h.name, "/?#"):
		return h, hostError(text, "leave out what stands behind the host, as in api.example.com")
	case strings.Contains(h.name, "@"):
		return h, hostError(text, "leave out the user, as in api.example.com")
	}
	if err := h.cutPort(text); err != nil {
		return h, err
	}
	if ip, err := netip.ParseAddr(h.name); err == nil {
		if ip.Zone() != "" {
			return h, hostError(text, "leave out the zone behind %")
		}
		h.ip = ip.Unmap()
		h.name = h.ip.String()
		return h, nil
	}
	h.name, h.below = strings.CutPrefix(h.name, "*.")
	h.name = strings.TrimSuffix(h.name, ".")
	return h, h.checkName(text)
}

// cutPort takes the port off the name, and the brackets of an IPv6 address.
func (h *Pattern) cutPort(text string) error {
	if _, err := netip.ParseAddr(h.name); err == nil {
		return nil // the colons are the address's
	}
	if inner, ok := strings.CutSuffix(h.name, "]"); ok && strings.HasPrefix(inner, "[") {
		h.name = inner[1:]
	} else if strings.Contains(h.name, ":") {
		name, port, err := net.SplitHostPort(h.name)
		n, bad := strconv.ParseUint(port, 10, 16)
		if err != nil || bad != nil || n == 0 {
			return hostError(text, "a port is a number up to 65535, as in api.example.com:443")
		}
		h.name, h.port = name, strconv.FormatUint(n, 10)
		if !strings.Contains(h.name, ":") {
			return nil
		}
	} else {
		return nil
	}
	if ip, err := netip.ParseAddr(h.name); err != nil || !ip.Is6() {
		return hostError(text, "brackets are for IPv6 addresses, as in [2001:db8::1]:443")
	}
	return nil
}

// checkName takes the names that the DNS takes. 253 and 63 are its limits.
func (h *Pattern) checkName(text string) error {
	labels := strings.Split(h.name, ".")
	for _, label := range labels {
		switch {
		case strings.ContainsFunc(label, func(c rune) bool { return c > '~' }):
			return hostError(text, "write it in ASCII, as in xn--bcher-kva.example")
		case strings.Contains(label, "*"):
			return hostError(text, "an asterisk can only be the first part, as in *.example.com")
		case label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
			return hostError(text, "a name is made of letters, digits and hyphens between dots, as in api.example.com")
		}
	}
	last := labels[len(labels)-1]
	_, err := strconv.ParseUint(last, 0, 64)
	switch {
	case len(h.name) > 253:
		return hostError(text, "names have 253 characters at most")
	case err == nil || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"):
		// Resolvers take 127.1 and 0x7f000001 for addresses.
		return hostError(text, "write an address in full, as in 192.0.2.1")
	case h.below && len(labels) < 2:
		return hostError(text, "that is all of a top-level domain; name the part before it, as in *.example.com")
	}
	return nil
}

// covers reports whether every host of o is one of h.
func (h Pattern) covers(o Pattern) bool {
	m, ok := h.meet(o)
	return ok && m.below == o.below && m.name == o.name && m.port == o.port
}

// meet are the hosts that both are about.
func (h Pattern) meet(o Pattern) (Pattern, bool) {
	if h.port != "" && o.port != "" && h.port != o.port {
		return Pattern{}, false
	}
	narrow, wide := h, o
	if len(narrow.name) < len(wide.name) || narrow.name == wide.name && narrow.below {
		narrow, wide = wide, narrow
	}
	switch {
	case narrow.name == wide.name && narrow.below == wide.below:
	case wide.below && !narrow.ip.IsValid() && strings.HasSuffix(narrow.name, "."+wide.name):
	default:
		return Pattern{}, false
	}
	narrow.port = max(h.port, o.port) // equal, or one is empty
	return narrow, true
}

// Private reports whether the host is, by what it is called, not of the public
// internet: an address of this machine or of the networks around it, a name of
// one label, or one below a domain that the public DNS does not have.
func (h Pattern) Private() bool {
	if h.ip.IsValid() {
		return Special(h.ip) != ""
	}
	labels := strings.Split(h.name, ".")
	local := []string{"localhost", "local", "internal", "lan", "home", "corp", "intranet", "arpa"}
	return len(labels) == 1 || slices.Contains(local, labels[len(labels)-1])
}

// Intersection are the hosts that are in all lists, without those that others
// cover, sorted. What is no host is in none.
func Intersection(lists [][]string) []string {
	var common []Pattern
	for i, list := range lists {
		var next []Pattern
		for _, text := range list {
			h, err := Parse(text)
			if err != nil {
				continue
			}
			if i == 0 {
				next = append(next, h)
			}
			for _, c := range common {
				if m, ok := c.meet(h); ok {
					next = append(next, m)
				}
			}
		}
		common = next
	}
	var out []string
	for i, h := range common {
		if !slices.ContainsFunc(common, func(o Pattern) bool { return o != common[i] && o.covers(h) }) {
			out = append(out, h.String())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Within reports whether a host, with its port if that is known, is one of hosts.
// A host without a port is within only where any port is.
func Within(host string, hosts []string) bool {
	h, err := Parse(host)
	return err == nil && !h.below && slices.ContainsFunc(hosts, func(text string) bool {
		allowed, err := Parse(text)
		return err == nil && allowed.covers(h)
	})
}
