package egress

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/knackhq/knack/internal/hostname"
	"github.com/knackhq/knack/internal/wording"
)

// longestURL is what servers take at least of a request line, RFC 9112.
const longestURL = 8000

// ports are those of the schemes that there are.
var ports = map[string]string{"http": "80", "https": "443"}

// ParseURL reads the address of a page: http or https, a host that means the same
// to everybody, no user. The host of what it returns is in its shortest form.
func ParseURL(text string) (*url.URL, error) {
	if len(text) > longestURL {
		return nil, fmt.Errorf("an address has %d characters at most", longestURL)
	}
	u, err := url.Parse(text)
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err // without the whole address
		}
		return nil, fmt.Errorf("%s is no address: %w", quoted(text), err)
	}
	if err := check(u); err != nil {
		return nil, fmt.Errorf("%s is no address that can be requested: %w", quoted(text), err)
	}
	return u, nil
}

func quoted(text string) string { return wording.Quote(wording.Name(text)) }

func check(u *url.URL) error {
	port, known := ports[u.Scheme]
	switch {
	case u.Scheme == "":
		return errors.New("it does not start with https:// or http://")
	case !known:
		return errors.New("it must start with https:// or http://")
	case u.User != nil:
		return errors.New("it must not have a user or password in it")
	case u.Opaque != "" || u.Host == "":
		return errors.New("it has no host")
	}
	if p := u.Port(); p != "" {
		port = p
	}
	h, err := hostname.Parse(net.JoinHostPort(strings.TrimSuffix(u.Hostname(), "."), port))
	switch {
	case err != nil:
		return err
	case h.Below():
		return errors.New("its host is a pattern")
	}
	u.Host = h.String()
	if h.Port() == ports[u.Scheme] {
		u.Host = strings.TrimSuffix(u.Host, ":"+h.Port())
	}
	return nil
}

// Target is the host of a checked address, with its port.
func Target(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = ports[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
