package main

import (
	"strings"
	"testing"

	"github.com/nystream/nystream/bench/internal/program"
)

// TestREADME: the numbers in README.md equal the recorded ones.
func TestREADME(t *testing.T) {
	root, err := program.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := check(root); err != nil || n < 3 {
		t.Errorf("%d blocks: %v", n, err)
	}
}

// TestDemoAgain: the output of the demo equals that in README.md.
func TestDemoAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command and fits 200,000 rows: run without -short")
	}
	root, err := program.Root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := compareRun(t.Context(), root, "demo.txt"); err != nil {
		t.Error(err)
	}
}

// TestCompare: a changed number is detected, in lines and among numbers; times are not compared.
func TestCompare(t *testing.T) {
	r := &record{commands: []command{{"nystream demo", "error   0.29 % of ‖A‖\n| a, 50 | .0436 (.12) | 1,000 |\nwork 4.6 s, 70 MiB\n"}}}
	for text, want := range map[string]string{
		"<!-- bench/readme/r.txt -->\n```\n$ nystream demo\nerror   0.29 % of ‖A‖\n…\n```\n":        "",
		"<!-- bench/readme/r.txt -->\n\n| a, 50 | .0436 (.12) | 1,000 |\n\nrest":                    "",
		"<!-- bench/readme/r.txt -->\n```\nerror   0.28 % of ‖A‖\n```\n":                            "no line",
		"<!-- bench/readme/r.txt -->\n| a, 50 | .0436 (.13) | 1,000 |\n":                            "no line",
		"<!-- figures of bench/readme/r.txt -->\nIt took 4.6 s and 70 MiB for 1,000 rows of rank50": "",
		"<!-- figures of bench/readme/r.txt -->\nIt took\n4.7 s and 70 MiB":                         "no figure 4.7",
		"<!-- figures of bench/readme/r.txt -->\nfrom .043 on":                                      "no figure .043",
		"<!-- bench/readme/r.txt -->\n":                                                             "nothing follows",
	} {
		blocks := blocksOf(text)
		if len(blocks) != 1 {
			t.Fatalf("%q has %d blocks", text, len(blocks))
		}
		err := blocks[0].compare(r)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	now := &record{commands: []command{{"nystream demo", "error   0.31 % of ‖A‖\n| a, 50 | .0437 (.12) | 1,000 |\nwork 14 s, 70 MiB\n"}}}
	text := "error   0.29 % of ‖A‖\n<!-- bench/readme/r.txt -->\n```\nerror   0.29 % of ‖A‖\n```\n"
	if got := updateLines(text, "r.txt", r, now); got != strings.Replace(text, "```\nerror   0.29", "```\nerror   0.31", 1) {
		t.Errorf("the text that follows is\n%s", got)
	}
	was, is := machine.ReplaceAllString("4.6 s in all, peak 70 MiB, 0.29 %", "·"), machine.ReplaceAllString("14 s in all, peak 1.2 GiB, 0.29 %", "·")
	if was != is || !strings.Contains(was, "0.29") {
		t.Errorf("%q and %q", was, is)
	}
}
