package main

import (
	"os"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nystream/nystream/internal/storetest"
)

// storages are the servers of scripts.
var storages sync.Map

// startStorage starts an S3 server for a script, and sets $STORAGE to its address.
func startStorage(ts *testscript.TestScript, _ bool, _ []string) {
	s := storetest.New()
	ts.Defer(s.Close)
	s.Setenv(func(name, value string) {
		ts.Setenv(name, value)
		sessionOf(ts).names = append(sessionOf(ts).names, name)
	})
	ts.Setenv("STORAGE", s.URL)
	storages.Store(s.URL, s)
}

// download KEY FILE copies an object to a file, without the command.
func download(ts *testscript.TestScript, neg bool, args []string) {
	s, ok := storages.Load(ts.Getenv("STORAGE"))
	if !ok || neg || len(args) != 2 {
		ts.Fatalf("usage: download key file, after storage")
	}
	content := s.(*storetest.Server).Content(args[0])
	if content == nil {
		ts.Fatalf("there is no object %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), content, 0o666))
}
