package probe

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// soon is how long the network is waited for: all services are on this machine.
const soon = 2 * time.Second

// dials is the attack of reaching a service that tells its secret.
func dials(network string, address func(*place) string) func(*place) error {
	return func(p *place) error {
		ctx, cancel := context.WithTimeout(context.Background(), soon)
		defer cancel()
		conn, err := new(net.Dialer).DialContext(ctx, network, address(p))
		if err != nil {
			return err
		}
		defer closes(conn)
		if deadline, ok := ctx.Deadline(); ok {
			_ = conn.SetDeadline(deadline) // one that hangs is ended anyway
		}
		if strings.HasPrefix(network, "udp") {
			if _, err := conn.Write([]byte("hello")); err != nil {
				return err
			}
			answer := make([]byte, 64)
			n, err := conn.Read(answer)
			return errors.Join(err, readsToken(strings.NewReader(string(answer[:n])), p.Token))
		}
		return readsToken(conn, p.Token)
	}
}

// closes what only took part in an attack.
func closes(c io.Closer) { c.Close() }

// served tells whether the stage has a service.
func served(address func(*place) string) func(*stage) error {
	return func(s *stage) error {
		if address(&s.place) == "" {
			return errors.New("this machine has no such network")
		}
		return nil
	}
}

// connects is the attack of finding a way to an address. It sends nothing: a
// socket for datagrams is connected as soon as there is a way.
func connects(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "udp", address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// metadata is where clouds tell a machine its credentials.
const metadata = "169.254.169.254:80"

// resolver is the name server of this machine.
func resolver() (string, error) {
	f, err := os.Open("/etc/resolv.conf")
	if err != nil {
		return "", err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) > 1 && words[0] == "nameserver" {
			return net.JoinHostPort(words[1], "53"), nil
		}
	}
	return "", errors.New("/etc/resolv.conf names no server")
}

// opensSocket is the attack of making a socket that sees or forges packets.
func opensSocket(family, kind, protocol int) func(*place) error {
	return func(*place) error {
		fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
		if err != nil {
			return err
		}
		return unix.Close(fd)
	}
}

// allProtocols is ETH_P_ALL in the order of the network.
const allProtocols = unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8

func networkProbes() []Probe {
	tcp := func(p *place) string { return p.TCP }
	tcp6 := func(p *place) string { return p.TCP6 }
	udp := func(p *place) string { return p.UDP }
	socket := func(p *place) string { return p.Socket }
	abstract := func(p *place) string { return p.Abstract }
	probes := []Probe{
		{Name: "tcp-loopback", Title: "reaches a service on 127.0.0.1", attack: dials("tcp4", tcp), offered: served(tcp)},
		{Name: "tcp6-loopback", Title: "reaches a service on ::1", attack: dials("tcp6", tcp6), offered: served(tcp6)},
		{Name: "udp-loopback", Title: "exchanges datagrams with 127.0.0.1", attack: dials("udp4", udp), offered: served(udp)},
		{Name: "unix-socket", Title: "reaches a socket by its path, as of an agent for keys", attack: dials("unix", socket), offered: served(socket)},
		{Name: "abstract-socket", Title: "reaches a socket without a path", attack: dials("unix", abstract), offered: served(abstract)},
		{Name: "metadata", Title: "finds a way to the credentials of the cloud", attack: func(*place) error {
			return connects(metadata)
		}, offered: func(*stage) error { return connects(metadata) }},
		{Name: "dns", Title: "finds a way to the name server", attack: func(*place) error {
			server, err := resolver()
			if err != nil {
				return err
			}
			return connects(server)
		}, offered: func(*stage) error {
			server, err := resolver()
			if err != nil {
				return err
			}
			return connects(server)
		}},
		{Name: "netlink", Title: "lists the machine's network", attack: func(p *place) error {
			found, err := net.Interfaces()
			if err != nil {
				return err
			}
			for _, i := range found {
				if slices.Contains(p.Interfaces, i.Name) {
					return nil
				}
			}
			return errOther
		}, offered: func(s *stage) error {
			if len(s.Interfaces) == 0 {
				return errors.New("there are no interfaces to list")
			}
			return nil
		}},
		{Name: "raw-socket", Title: "makes a socket that forges packets", NeedsRoot: true, attack: opensSocket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)},
		{Name: "packet-socket", Title: "makes a socket that sees all packets", NeedsRoot: true, attack: opensSocket(unix.AF_PACKET, unix.SOCK_RAW, allProtocols)},
	}
	for i := range probes {
		probes[i].Threatens = Network
	}
	return probes
}
