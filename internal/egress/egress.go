// Package egress is the one way out to other machines over HTTP.
//
// A [Guard] says which hosts may be reached. It looks twice: at the name, which
// must be one that was granted, and at every address that the name leads to,
// which must be of the public internet. So a name that was granted cannot be made
// to lead to this machine, its neighbours or a cloud's metadata service. An
// address that is not public is reached only if it was granted itself, or under a
// name that says so: localhost, printer, nas.local. Names are resolved once, and
// what is dialled is the address that was looked at, never the name again.
//
// A [Client] makes requests through a guard: http and https only, every redirect
// judged like the request itself, and no more than so many bytes within so much
// time, counted after decompression. It takes no proxy from the environment, keeps
// no cookies and no connections.
//
// [Proxy] is for programs that have no network of their own: an HTTP proxy that
// connects them to what a guard lets through, and to nothing else.
package egress

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/knackhq/knack/internal/hostname"
	"github.com/knackhq/knack/internal/wording"
)

// Guard decides which hosts may be reached. The zero value lets nothing through.
type Guard struct {
	// Hosts are those that may be reached, as [hostname.Parse] reads them.
	Hosts []string
	// Anywhere lets every host with a public address be reached as well.
	Anywhere bool
	// Configured are hosts that may be reached as well, and at any address,
	// because the user wrote them into the configuration.
	Configured []string
	// Hint is the way out that a refusal ends with, of the host as it would have
	// to be granted. Nil is none.
	Hint func(host string) string

	// Resolver finds addresses; nil is the system's.
	Resolver Resolver
	// Dial connects to an address and its port; nil is the system's.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Resolver finds the addresses of names, as [net.Resolver] does.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

const (
	// mostAddresses of one name are tried. More only cost time.
	mostAddresses = 6
	// longestDial is what one address gets: three attempts to open a connection,
	// at one, two and four seconds.
	longestDial = 8 * time.Second
)

// Check looks at the name of a host with its port, and at the address if it is
// one. Nothing is resolved: [Guard.Connect] looks at where the name leads.
func (g Guard) Check(host string) error {
	h, err := hostname.Parse(host)
	switch {
	case err != nil:
		return &Refusal{Host: host, why: err.Error()}
	case h.Below() || h.Port() == "":
		return &Refusal{Host: host, why: wording.Quote(wording.Name(host)) + " is no single host with a port"}
	case !g.Anywhere && !g.named(h):
		return g.refuse(h, h.Name()+" is not among the hosts that may be reached")
	case h.Addr().IsValid():
		return g.checkAddr(h, h.Addr())
	}
	return nil
}

func (g Guard) named(h hostname.Pattern) bool {
	return hostname.Within(h.String(), g.Hosts) || hostname.Within(h.String(), g.Configured)
}

// checkAddr looks at an address that a host leads to.
func (g Guard) checkAddr(h hostname.Pattern, addr netip.Addr) error {
	addr = addr.Unmap()
	literal := net.JoinHostPort(addr.String(), h.Port())
	what := hostname.Special(addr)
	if what == "" || hostname.Within(h.String(), g.Configured) || addr.Zone() == "" && hostname.Within(literal, g.Hosts) || g.privately(h) {
		return nil
	}
	why := fmt.Sprintf("%s is not of the public internet (%s)", addr, what)
	if h.Addr() != addr {
		why = fmt.Sprintf("%s leads to %s, which is not of the public internet (%s)", h.Name(), addr, what)
	}
	refusal := g.refuse(h, why)
	if g.Hint != nil && addr.Zone() == "" {
		refusal.hint = g.Hint(literal)
	}
	return refusal
}

// privately reports whether a name was granted that nobody takes for public.
func (g Guard) privately(h hostname.Pattern) bool {
	for _, text := range g.Hosts {
		granted, err := hostname.Parse(text)
		if err == nil && !granted.Addr().IsValid() && granted.Private() && hostname.Within(h.String(), []string{text}) {
			return true
		}
	}
	return false
}

func (g Guard) refuse(h hostname.Pattern, why string) *Refusal {
	r := &Refusal{Host: h.String(), why: why}
	if g.Hint != nil {
		r.hint = g.Hint(grantable(h))
	}
	return r
}

// grantable is the host as it would be granted: for any port, but only for this
// one where several services of one machine may be meant.
func grantable(h hostname.Pattern) string {
	switch {
	case h.Private():
		return h.String()
	case h.Addr().Is6():
		return "[" + h.Name() + "]"
	}
	return h.Name()
}

// Connect dials a host with its port, if it and the address it leads to may be
// reached. Errors that are [ErrRefused] say that they may not.
func (g Guard) Connect(ctx context.Context, host string) (net.Conn, error) {
	if err := g.Check(host); err != nil {
		return nil, err
	}
	h, err := hostname.Parse(host)
	if err != nil {
		return nil, err
	}
	addrs, err := g.addresses(ctx, h)
	if err != nil {
		return nil, err
	}
	for _, addr := range addrs {
		var conn net.Conn
		if conn, err = g.dial(ctx, net.JoinHostPort(addr.String(), h.Port())); err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, fmt.Errorf("%s cannot be connected to: %w", h, err)
}

// addresses are those of the host that may be dialled, at least one. A name with
// both kinds is dialled at the public ones.
func (g Guard) addresses(ctx context.Context, h hostname.Pattern) ([]netip.Addr, error) {
	found := []netip.Addr{h.Addr()}
	if !h.Addr().IsValid() {
		var resolver Resolver = net.DefaultResolver
		if g.Resolver != nil {
			resolver = g.Resolver
		}
		var err error
		if found, err = resolver.LookupNetIP(ctx, "ip", h.Name()); err != nil {
			return nil, fmt.Errorf("%s has no address: %w", h.Name(), err)
		}
	}
	var refused error
	var good []netip.Addr
	for _, addr := range found {
		if err := g.checkAddr(h, addr); err == nil {
			good = append(good, addr.Unmap())
		} else if refused == nil {
			refused = err
		}
	}
	switch {
	case len(good) > 0:
		return good[:min(len(good), mostAddresses)], nil
	case refused != nil:
		return nil, refused
	}
	return nil, fmt.Errorf("%s has no address", h.Name())
}

func (g Guard) dial(ctx context.Context, to string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, longestDial)
	defer cancel()
	if g.Dial != nil {
		return g.Dial(ctx, "tcp", to)
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", to)
}
