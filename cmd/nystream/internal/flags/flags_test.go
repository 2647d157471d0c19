package flags

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestCheck refuses flags that need another one, and those of another input, before anything is read.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		args  string
		input For
		want  string
	}{
		{"", Rows, ""},
		{"--rank 3", Rows, ""},
		{"--rank 3", Graph, ""},
		{"--nodes n --graph g", Graph, ""},
		{"--nodes n", Rows, "--nodes goes with --graph"},
		{"--nulls drop --graph g", Graph, "--nulls is for rows of DATA or a matrix: leave it out with --input"},
		{"--nulls drop", Matrix, ""},
	} {
		var rank int
		var nodes, nulls, graph string
		cmd := &cobra.Command{Use: "fit", RunE: func(*cobra.Command, []string) error { return nil }}
		s := New(cmd)
		s.Add(Flag{Name: "rank", Arg: "number", Value: Int(&rank, 1)},
			Flag{Name: "graph", Arg: "file", For: Graph, Value: String(&graph, "")},
			Flag{Name: "nodes", Arg: "file", For: Graph, Needs: "graph", Value: String(&nodes, "")},
			Flag{Name: "nulls", Arg: "word", For: Rows | Matrix, Value: String(&nulls, "")})
		if err := cmd.ParseFlags(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		if err := s.Check(c.input, "--input"); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v, not %q", c.args, err, c.want)
		}
	}
}

// TestTextIsTakenBack: the text of a value is what Set takes, to the same value.
func TestTextIsTakenBack(t *testing.T) {
	for _, c := range []struct {
		value      func() pflag.Value
		text, want string
	}{
		{func() pflag.Value { return Strings(new([]string)) }, `a,"b,c"," d"`, `a,"b,c"," d"`},
		{func() pflag.Value { return new(Size) }, "1.5GiB", "1610612736"},
		{func() pflag.Value { return Bool(new(bool), false) }, "true", "true"},
		{func() pflag.Value { return Floats(new([]float64)) }, "1e-9,2", "1e-09,2"},
		{func() pflag.Value { return Float(new(float64), 1) }, "0.30000000000000004", "0.30000000000000004"},
		{func() pflag.Value { return Ints(new([]int)) }, "7,-2", "7,-2"},
		{func() pflag.Value { return Duration(new(time.Duration), 0) }, "90s", "1m30s"},
		{func() pflag.Value { return Choice(new(Word), Words("a", "b")) }, "b", "b"},
	} {
		for _, text := range []string{c.text, c.want} {
			s := New(&cobra.Command{Use: "fit"})
			s.Add(Flag{Name: "flag", Value: c.value()})
			if err := s.Assign("flag", text); err != nil {
				t.Fatal(err)
			}
			if got := s.Flag("flag").Text(); got != c.want {
				t.Errorf("%s: %s, not %s", text, got, c.want)
			}
		}
	}
}
