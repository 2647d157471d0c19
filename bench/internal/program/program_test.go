package program_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/bench/internal/program"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		args, out, err string
	}{
		{"", filepath.Join(os.TempDir(), "nystream-paper0"), ""},
		{"-out there", "there", ""},
		{"-out there here", "", `["here"]: paper0 takes flags only`},
		{"-in here", "", "flag provided but not defined: -in"},
	} {
		var out string
		f := program.Flags("paper0", &out)
		f.SetOutput(io.Discard)
		err := program.Parse(f, strings.Fields(c.args))
		if c.err == "" && (err != nil || out != c.out) {
			t.Errorf("%q: out is %q, want %q; %v", c.args, out, c.out, err)
		}
		if c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%q: the error is %v, want %s", c.args, err, c.err)
		}
	}
}

func TestLists(t *testing.T) {
	if got := program.List("a,b,,c,"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the words are %q", got)
	}
	known := []string{"wine", "face"}
	if err := program.Known([]string{"face", "wine"}, known); err != nil {
		t.Error(err)
	}
	err := program.Known([]string{"face", "bread"}, known)
	if err == nil || err.Error() != `"bread": there are wine, face` {
		t.Errorf("an unknown word gives %v", err)
	}
}
