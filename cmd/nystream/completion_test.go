package main

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
)

// No global variable keeps the app of a finished command line, so a process may run many.
func TestCommandsAreFreed(t *testing.T) {
	ran := func(args ...string) weak.Pointer[app.App] {
		a := app.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard)
		if code := a.Execute(t.Context(), newRootCommand(a), args); code != app.ExitOK {
			t.Fatalf("%q: exit code %d", args, code)
		}
		return weak.Make(a)
	}
	for _, line := range []string{"help kernels", "fit landmark --help", "demo --help"} {
		p := ran(strings.Fields(line)...)
		runtime.GC()
		if p.Value() != nil {
			t.Errorf("%s: the app is still there", line)
		}
	}
}
