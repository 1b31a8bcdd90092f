package sandbox

import (
	"fmt"
	"net"
)

// serveHere serves a proxy on the host's own loopback, for processes that have no
// network of their own to open it in.
func serveHere(proxy func(net.Listener)) (port int, stop func(), err error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, nil, err
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		defer func() { _ = listener.Close() }() // who gave up serving refuses
		proxy(listener)
	}()
	return listener.Addr().(*net.TCPAddr).Port, func() {
		_ = listener.Close()
		<-served
	}, nil
}

// proxied sets the variables by which programs find a proxy.
func proxied(env []string, port int) []string {
	names := []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"}
	env = without(env, append(names, "NO_PROXY", "no_proxy")...)
	for _, name := range names {
		env = append(env, fmt.Sprintf("%s=http://127.0.0.1:%d", name, port))
	}
	return append(env, "NO_PROXY=", "no_proxy=")
}
