// Command messages counts the places that make errors about files, and prints those that no
// case of the table of messages reaches:
//
//	go run ./.ci/messages
//
// A place is a call with a text of two words or more that returns an error, in blockstore or a
// package below it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"golang.org/x/tools/cover"
	"golang.org/x/tools/go/packages"
)

const below = "./blockstore/..."

// helpers are packages of tests.
var helpers = []string{"filetest", "handmade"}

func main() {
	run := flag.String("run", "TestMessages", "the tests of the table")
	all := flag.Bool("all", false, "print the places that are reached, too")
	flag.Parse()
	if err := report(*run, *all); err != nil {
		fmt.Fprintln(os.Stderr, "messages:", err)
		os.Exit(1)
	}
}

// place is a call that makes an error.
type place struct {
	pkg, file string
	line, col int
	text      string
	inside    bool // a function
	reached   bool
}

func report(run string, all bool) error {
	profile, err := os.CreateTemp("", "messages")
	if err != nil {
		return err
	}
	profile.Close()
	defer os.Remove(profile.Name())
	test := exec.Command("go", "test", "-count=1", "-vet=off", "-run", run, "-coverpkg="+below, "-coverprofile="+profile.Name(), "./blockstore")
	if out, err := test.CombinedOutput(); err != nil {
		os.Stderr.Write(out)
		fmt.Fprintln(os.Stderr, err)
	}
	places, err := find()
	if err != nil {
		return err
	}
	if err := reach(places, profile.Name()); err != nil {
		return err
	}
	if err := quoted(places, filepath.Join("blockstore", "testdata", "messages.txt")); err != nil {
		return err
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	total, reached := map[string]int{}, map[string]int{}
	for _, p := range places {
		total[p.pkg]++
		total[""]++
		if p.reached {
			reached[p.pkg]++
			reached[""]++
		}
		if all || !p.reached {
			fmt.Fprintf(w, "%s:%d: %s\n", p.file, p.line, p.text)
		}
	}
	var names []string
	for name := range total {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(w, "%-40s %3d of %3d\n", name, reached[name], total[name])
	}
	return nil
}

// find returns the places, in order.
func find() ([]*place, error) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule}, below)
	if err != nil {
		return nil, err
	}
	if n := packages.PrintErrors(loaded); n > 0 {
		return nil, fmt.Errorf("%d errors", n)
	}
	var list []*place
	for _, p := range loaded {
		if slices.Contains(helpers, filepath.Base(p.PkgPath)) {
			continue
		}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if text := message(p.TypesInfo, call); text != "" {
						at := p.Fset.Position(call.Pos())
						list = append(list, &place{pkg: strings.TrimPrefix(p.PkgPath, p.Module.Path+"/"), file: rel(at), line: at.Line, col: at.Column, text: text})
					}
				}
				return true
			})
		}
	}
	return list, nil
}

func rel(at token.Position) string {
	dir, _ := os.Getwd()
	if name, err := filepath.Rel(dir, at.Filename); err == nil {
		return name
	}
	return at.Filename
}

// message returns the text of a call that makes an error, or "".
func message(info *types.Info, call *ast.CallExpr) string {
	t := info.TypeOf(call)
	if t == nil || t.String() != "error" {
		return ""
	}
	for _, arg := range call.Args {
		v := info.Types[arg].Value
		if v == nil || v.Kind() != constant.String {
			continue
		}
		if s := constant.StringVal(v); strings.Contains(strings.ReplaceAll(s, "%w", ""), " ") {
			return s
		}
	}
	return ""
}

// verbs are where a format has something put in.
var verbs = regexp.MustCompile(`%#?[a-z]`)

// quoted marks the places outside of functions, which no profile has, whose texts are in a file.
func quoted(places []*place, file string) error {
	table, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, p := range places {
		parts := verbs.Split(p.text, -1)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		if !p.inside && regexp.MustCompile(strings.Join(parts, ".*")).Match(table) {
			p.reached = true
		}
	}
	return nil
}

// reach marks the places that a profile has as run.
func reach(places []*place, profile string) error {
	profiles, err := cover.ParseProfiles(profile)
	if err != nil {
		return err
	}
	blocks := map[string][]cover.ProfileBlock{}
	for _, p := range profiles {
		blocks[p.FileName] = p.Blocks
	}
	for _, p := range places {
		for name, list := range blocks {
			if !strings.HasSuffix(name, "/"+p.file) {
				continue
			}
			for _, b := range list {
				after := p.line > b.StartLine || p.line == b.StartLine && p.col >= b.StartCol
				before := p.line < b.EndLine || p.line == b.EndLine && p.col <= b.EndCol
				p.inside = p.inside || after && before
				p.reached = p.reached || after && before && b.Count > 0
			}
		}
	}
	return nil
}
