package hostname

import (
	"net/netip"
	"sync"
)

// block is a range of addresses that leads to no machine of the public internet.
type block struct {
	prefix netip.Prefix
	what   string
}

// blocks4 is the IANA IPv4 Special-Purpose Address Registry, multicast, and one
// address that a cloud took out of its public ones.
var blocks4 = sync.OnceValue(func() []block {
	return parsed([][2]string{
		{"0.0.0.0/8", "this network"},                  // RFC 791
		{"10.0.0.0/8", "private"},                      // RFC 1918
		{"100.64.0.0/10", "shared by a carrier"},       // RFC 6598
		{"127.0.0.0/8", "loopback"},                    // RFC 1122
		{"168.63.129.16/32", "a cloud's own services"}, // Azure's platform, reached from its machines alone
		{"169.254.0.0/16", "link-local"},               // RFC 3927; the metadata services of clouds
		{"172.16.0.0/12", "private"},                   // RFC 1918
		{"192.0.0.0/24", "protocol assignments"},       // RFC 6890
		{"192.0.2.0/24", "documentation"},              // RFC 5737
		{"192.31.196.0/24", "AS112"},                   // RFC 7535
		{"192.52.193.0/24", "multicast tunnels"},       // RFC 7450
		{"192.88.99.0/24", "6to4 relays"},              // RFC 7526
		{"192.168.0.0/16", "private"},                  // RFC 1918
		{"192.175.48.0/24", "AS112"},                   // RFC 7534
		{"198.18.0.0/15", "benchmarking"},              // RFC 2544
		{"198.51.100.0/24", "documentation"},           // RFC 5737
		{"203.0.113.0/24", "documentation"},            // RFC 5737
		{"224.0.0.0/4", "multicast"},                   // RFC 5771
		{"240.0.0.0/4", "reserved"},                    // RFC 1112; the broadcast of RFC 919 among them
	})
})

// blocks6 is the IANA IPv6 Special-Purpose Address Registry and what became of
// older plans. Those that others contain are there for their name.
var blocks6 = sync.OnceValue(func() []block {
	return parsed([][2]string{
		{"::/128", "unspecified"},             // RFC 4291
		{"::1/128", "loopback"},               // RFC 4291
		{"::/96", "IPv4-compatible"},          // RFC 4291
		{"64:ff9b:1::/48", "local NAT64"},     // RFC 8215
		{"100::/64", "discarded"},             // RFC 6666
		{"100:0:0:1::/64", "dummy"},           // RFC 9780
		{"2001::/32", "Teredo"},               // RFC 4380
		{"2001:2::/48", "benchmarking"},       // RFC 5180
		{"2001::/23", "protocol assignments"}, // RFC 2928
		{"2001:db8::/32", "documentation"},    // RFC 3849
		{"2002::/16", "6to4"},                 // RFC 3056
		{"2620:4f:8000::/48", "AS112"},        // RFC 7534
		{"3fff::/20", "documentation"},        // RFC 9637
		{"5f00::/16", "segment routing"},      // RFC 9602
		{"fc00::/7", "private"},               // RFC 4193; metadata services at fd00:ec2::254 and fd20:ce::254
		{"fe80::/10", "link-local"},           // RFC 4291
		{"fec0::/10", "site-local"},           // RFC 3879
		{"ff00::/8", "multicast"},             // RFC 4291
	})
})

func parsed(table [][2]string) []block {
	out := make([]block, len(table))
	for i, row := range table {
		out[i] = block{netip.MustParsePrefix(row[0]), row[1]}
	}
	return out
}

// Special is what an address is that is not of the public internet; empty if it
// is.
func Special(addr netip.Addr) string {
	if addr.Zone() != "" {
		return "of one link"
	}
	addr = addr.Unmap()
	if !addr.IsValid() {
		return "no address"
	}
	blocks := blocks4
	if addr.Is6() {
		if inner, ok := translated(addr); ok {
			return Special(inner)
		}
		blocks = blocks6
	}
	for _, b := range blocks() {
		if b.prefix.Contains(addr) {
			return b.what
		}
	}
	if addr.Is6() && addr.As16()[0]>>5 != 1 {
		return "not assigned" // only 2000::/3 is, RFC 4291
	}
	return ""
}

// translated is the IPv4 address that a NAT64 gateway would make of an address
// with the well-known prefix 64:ff9b::/96, RFC 6052. Networks without IPv4 reach
// all of it so.
func translated(addr netip.Addr) (netip.Addr, bool) {
	b := addr.As16()
	if [12]byte(b[:12]) != [12]byte{0, 0x64, 0xff, 0x9b} {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4([4]byte(b[12:])), true
}
