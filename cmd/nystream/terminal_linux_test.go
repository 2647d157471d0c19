package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
)

// Without -o a terminal gets the first rows and a hint; with --label the score alone.
func TestFirstRows(t *testing.T) {
	t.Chdir(t.TempDir())
	table := "class,x\n"
	for i := range 40 {
		table += string(rune('a'+i%2)) + "," + strconv.Itoa(i%2+10) + "\n"
	}
	if err := os.WriteFile("x.csv", []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), strings.Fields("fit ridge x.csv --label class --kernel rbf -o m.npz"), nil, io.Discard, io.Discard); code != app.ExitOK {
		t.Fatalf("fit: exit code %d", code)
	}
	for line, want := range map[string]string{
		"predict m.npz x.csv --probabilities": "x.csv, the first 10 of 40 rows\n" +
			"    predicted  probability_a  probability_b\n" + "            a ",
		"transform m.npz x.csv --as-list u --keep class": "x.csv, the first 10 of 40 rows\n    class ",
		"predict m.npz x.csv --label class":              "predictions of m.npz\n  rows        40\n  predicted   a (20), b (20)\n  accuracy ",
	} {
		var messages strings.Builder
		text := onTerminal(t, func(terminal *os.File) {
			if code := run(t.Context(), strings.Fields(line), nil, terminal, &messages); code != app.ExitOK {
				t.Errorf("%s: exit code %d, %s", line, code, messages.String())
			}
		})
		if !strings.HasPrefix(text, want) {
			t.Errorf("%s prints\n%s", line, text)
		}
		hint := strings.Contains(messages.String(), "note: -o FILE writes all rows")
		if scored := strings.Contains(line, "--label"); hint == scored || !scored && strings.Count(text, "\n") != 12 {
			t.Errorf("%s prints %d lines and notes %q", line, strings.Count(text, "\n"), messages.String())
		}
	}
	if files, _ := filepath.Glob("*"); len(files) != 2 {
		t.Errorf("files: %q", files)
	}
}

// onTerminal returns what do writes to a terminal.
func onTerminal(t *testing.T, do func(terminal *os.File)) string {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer screen.Close()
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	written := make(chan string)
	go func() {
		text, _ := io.ReadAll(screen) // ends with an error when the terminal is closed
		written <- strings.ReplaceAll(string(text), "\r\n", "\n")
	}()
	do(terminal)
	terminal.Close()
	return <-written
}
