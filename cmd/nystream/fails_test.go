package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
)

// fails runs a command line that must end with an exit code and a message with some words.
func fails(t *testing.T, args []string, in io.Reader, out io.Writer, code int, words ...string) {
	t.Helper()
	var messages strings.Builder
	if got := run(t.Context(), args, in, out, &messages); got != code {
		t.Errorf("%q: exit code %d, not %d: %s", args, got, code, messages.String())
	}
	for _, w := range words {
		if !strings.Contains(messages.String(), w) {
			t.Errorf("%q: %q does not have %q", args, messages.String(), w)
		}
	}
}

// refuses runs inspect on a model and applies it to data. Both must fail with an error that names the model.
func refuses(t *testing.T, what, path, data string) {
	t.Helper()
	for _, line := range []string{"inspect " + path, "transform " + path + " " + data + " -o " + filepath.Dir(path) + "/out.npy"} {
		if code, _, says := guardedRun(t.Context(), line); code != app.ExitData || !strings.Contains(says, path) {
			t.Errorf("%s: %s: exit code %d, %s", what, line, code, says)
		}
	}
}
