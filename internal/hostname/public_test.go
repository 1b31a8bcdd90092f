package hostname

import (
	"net/netip"
	"testing"
)

// Every block at its first and last address, and the neighbours that are public.
func TestSpecial(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0": "this network", "0.255.255.255": "this network", "1.0.0.0": "", // RFC 791
		"9.255.255.255": "", "10.0.0.0": "private", "10.255.255.255": "private", "11.0.0.0": "", // RFC 1918
		"100.63.255.255": "", "100.64.0.0": "shared by a carrier", "100.100.100.200": "shared by a carrier", // RFC 6598; Alibaba's metadata
		"100.127.255.255": "shared by a carrier", "100.128.0.0": "", // RFC 6598
		"126.255.255.255": "", "127.0.0.0": "loopback", "127.0.0.1": "loopback", "127.255.255.255": "loopback", "128.0.0.0": "", // RFC 1122
		"168.63.129.15": "", "168.63.129.16": "a cloud's own services", "168.63.129.17": "", // Azure
		"169.253.255.255": "", "169.254.0.0": "link-local", "169.254.169.254": "link-local", // RFC 3927
		"169.254.170.2": "link-local", "169.254.255.255": "link-local", "169.255.0.0": "", // RFC 3927; containers' credentials
		"172.15.255.255": "", "172.16.0.0": "private", "172.31.255.255": "private", "172.32.0.0": "", // RFC 1918
		"191.255.255.255": "", "192.0.0.0": "protocol assignments", "192.0.0.8": "protocol assignments", // RFC 6890, RFC 7600
		"192.0.0.170": "protocol assignments", "192.0.0.192": "protocol assignments", "192.0.1.0": "", // RFC 7050; Oracle's metadata
		"192.0.2.0": "documentation", "192.0.2.255": "documentation", "192.0.3.0": "", // RFC 5737
		"192.31.195.255": "", "192.31.196.1": "AS112", "192.31.197.0": "", // RFC 7535
		"192.52.192.255": "", "192.52.193.1": "multicast tunnels", "192.52.194.0": "", // RFC 7450
		"192.88.98.255": "", "192.88.99.1": "6to4 relays", "192.88.100.0": "", // RFC 7526
		"192.167.255.255": "", "192.168.0.0": "private", "192.168.255.255": "private", "192.169.0.0": "", // RFC 1918
		"192.175.47.255": "", "192.175.48.6": "AS112", "192.175.49.0": "", // RFC 7534
		"198.17.255.255": "", "198.18.0.0": "benchmarking", "198.19.255.255": "benchmarking", "198.20.0.0": "", // RFC 2544
		"198.51.99.255": "", "198.51.100.1": "documentation", "198.51.101.0": "", // RFC 5737
		"203.0.112.255": "", "203.0.113.1": "documentation", "203.0.114.0": "", // RFC 5737
		"223.255.255.255": "", "224.0.0.0": "multicast", "239.255.255.255": "multicast", // RFC 5771
		"240.0.0.0": "reserved", "255.255.255.254": "reserved", "255.255.255.255": "reserved", // RFC 1112, RFC 919
		"8.8.8.8": "", "93.184.216.34": "",

		"::":         "unspecified",                                  // RFC 4291
		"::1":        "loopback",                                     // RFC 4291
		"::7f00:1":   "IPv4-compatible",                              // RFC 4291, 127.0.0.1
		"::808:808":  "IPv4-compatible",                              // RFC 4291, 8.8.8.8
		"::1:0:0":    "not assigned",                                 // RFC 4291
		"::ffff:0:0": "this network", "::ffff:127.0.0.1": "loopback", // RFC 4291, mapped
		"::ffff:169.254.169.254": "link-local", "::ffff:10.0.0.1": "private", "::ffff:8.8.8.8": "", // RFC 4291, mapped
		"::ffff:0:127.0.0.1": "not assigned", "::ffff:0:808:808": "not assigned", // RFC 2765, translated
		"64:ff9b::7f00:1": "loopback", "64:ff9b::a9fe:a9fe": "link-local", "64:ff9b::a00:1": "private", // RFC 6052
		"64:ff9b::808:808": "", "64:ff9b::1:808:808": "not assigned", // RFC 6052, and beside it
		"64:ff9b:1::": "local NAT64", "64:ff9b:1:ffff::808:808": "local NAT64", "64:ff9b:2::1": "not assigned", // RFC 8215
		"100::1": "discarded", "100:0:0:1::1": "dummy", "100:0:0:2::": "not assigned", // RFC 6666, RFC 9780
		"1fff:ffff::1": "not assigned", "2000::1": "", // RFC 4291
		"2001::1": "Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2": "Teredo", // RFC 4380
		"2001:1::1": "protocol assignments", "2001:1::2": "protocol assignments", "2001:1::3": "protocol assignments", // RFC 7723, RFC 8155, RFC 9665
		"2001:2::1": "benchmarking", "2001:3::1": "protocol assignments", "2001:4:112::1": "protocol assignments", // RFC 5180, RFC 7450, RFC 7535
		"2001:10::1": "protocol assignments", "2001:20::1": "protocol assignments", "2001:30::1": "protocol assignments", // RFC 4843, RFC 7343, RFC 9374
		"2001:1ff:ffff::1": "protocol assignments", "2001:200::1": "", // RFC 2928
		"2001:db7:ffff::1": "", "2001:db8::1": "documentation", "2001:db8:ffff::1": "documentation", "2001:db9::1": "", // RFC 3849
		"2002:7f00:1::1": "6to4", "2002:808:808::1": "6to4", "2003::1": "", // RFC 3056
		"2606:4700:4700::1111": "", "2620:4f:8000::1": "AS112", "2620:4f:8001::1": "", // RFC 7534
		"3ffe::1": "", "3fff::1": "documentation", "3fff:fff:ffff::1": "documentation", "3fff:1000::1": "", // RFC 3701, given back; RFC 9637
		"4000::1": "not assigned", "5f00::1": "segment routing", "8000::1": "not assigned", // RFC 4291, RFC 9602
		"fbff::1": "not assigned", "fc00::1": "private", "fd00:ec2::254": "private", "fd20:ce::254": "private", "fdff:ffff::1": "private", // RFC 4193; metadata
		"fe00::1": "not assigned", "fe80::1": "link-local", "fe80::1%eth0": "of one link", "febf:ffff::1": "link-local", // RFC 4291, RFC 4007
		"2606:4700::1%eth0": "of one link", "fec0::1": "site-local", "feff:ffff::1": "site-local", // RFC 4007, RFC 3879
		"ff02::1": "multicast", "ff0e::1": "multicast", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff": "multicast", // RFC 4291
	} {
		if got := Special(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %q, want %q", addr, got, want)
		}
	}
	if Special(netip.Addr{}) == "" {
		t.Error("no address is public")
	}
}
