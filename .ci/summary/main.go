// Command summary reads what go test -json prints: it passes on the line of each
// package and the output of what failed, and ends with the slowest tests, what was
// skipped and why, and how many passed. It exits with 1 if anything failed.
//
//	go test -json ./... | go run ./.ci/summary
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// event is one line of go test -json.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of a package that does not build
	Elapsed                       float64
}

// test is a test that has ended.
type test struct {
	name    string
	seconds float64
	why     string // it was skipped
}

// summary collects what tests say.
type summary struct {
	output         map[string]*strings.Builder // of tests and packages under way
	passed, failed int
	ended, skipped []test
	broken         bool
}

// shown is how many of the slowest tests are shown.
const shown = 15

func main() {
	s := &summary{output: map[string]*strings.Builder{}}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil { // as from the linker
			fmt.Println(lines.Text())
			continue
		}
		s.take(e)
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
		s.broken = true
	}
	s.print()
	if s.broken || s.failed > 0 {
		os.Exit(1)
	}
}

func (s *summary) take(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		if s.output[key] == nil {
			s.output[key] = &strings.Builder{}
		}
		s.output[key].WriteString(e.Output)
	case "build-output":
		fmt.Print(e.Output)
	case "build-fail":
		s.broken = true
	case "pass", "fail", "skip":
		s.end(e, s.said(key))
		delete(s.output, key)
	}
}

func (s *summary) said(key string) string {
	if out := s.output[key]; out != nil {
		return out.String()
	}
	return ""
}

// end counts a test, or prints the line of a package.
func (s *summary) end(e event, said string) {
	if e.Action == "fail" {
		s.broken = true
		fmt.Print(said)
	}
	if e.Test == "" {
		if lines := strings.TrimSpace(said); e.Action != "fail" && lines != "" {
			fmt.Println(lines[strings.LastIndex(lines, "\n")+1:])
		}
		return
	}
	t := test{name: strings.TrimPrefix(e.Package, "github.com/nystream/nystream/") + " " + e.Test, seconds: e.Elapsed}
	switch e.Action {
	case "fail":
		s.failed++
	case "skip":
		t.why = reason(said)
		s.skipped = append(s.skipped, t)
		return
	default:
		s.passed++
	}
	if !strings.Contains(e.Test, "/") { // a test has the time of its parts
		s.ended = append(s.ended, t)
	}
}

// reason returns what a test that was skipped said last.
func reason(said string) string {
	why := ""
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
			why = line
		}
	}
	return why
}

// grouped puts the parts of a test together, in the order of the tests.
func grouped(tests []test) (groups [][]test) {
	place := map[string]int{}
	for _, t := range tests {
		pkg, name, _ := strings.Cut(t.name, " ")
		name, _, _ = strings.Cut(name, "/")
		whole := pkg + " " + name
		if _, known := place[whole]; !known {
			place[whole] = len(groups)
			groups = append(groups, nil)
		}
		groups[place[whole]] = append(groups[place[whole]], t)
	}
	return groups
}

func (s *summary) print() {
	slices.SortStableFunc(s.ended, func(a, b test) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Println("\nslowest:")
	for _, t := range s.ended[:min(shown, len(s.ended))] {
		fmt.Printf("  %6.1f s  %s\n", t.seconds, t.name)
	}
	if len(s.skipped) > 0 {
		fmt.Println("skipped:")
	}
	for _, group := range grouped(s.skipped) {
		fmt.Printf("  %s: %s\n", group[0].name, group[0].why)
		if len(group) > 1 {
			fmt.Printf("    and %d more parts of this test\n", len(group)-1)
		}
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", s.passed, s.failed, len(s.skipped))
}
