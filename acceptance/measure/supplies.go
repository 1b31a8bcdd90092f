package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// printSeed prints a file of the examples that stand in the documents.
func printSeed(name string) {
	archive, err := txtar.ParseFile("testdata/seeds.txtar")
	check(err)
	for _, f := range archive.Files {
		if f.Name == name {
			_, err := os.Stdout.Write(f.Data)
			check(err)
			return
		}
	}
	fail("testdata/seeds.txtar has no %s", name)
}

// serve is a server on this machine whose application is healthy.
func serve() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(l.Addr())
	server := http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "healthy") }),
	}
	check(server.Serve(l))
}
