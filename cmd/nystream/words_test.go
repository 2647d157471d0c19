package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// TestFlagWords checks the names that settings get in texts.
func TestFlagWords(t *testing.T) {
	root := wholeRoot(t)
	cmd, _, err := root.Find([]string{"fit", "landmark"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"lower `rank` or `landmarks`":   "lower --rank or --landmarks",
		"scale them (`scale standard`)": "scale them (--scale standard)",
		"raise `memory`":                "raise --memory", // global
		"`engine linear` is quicker":    "engine linear is quicker",
		"a quote ` alone":               "a quote ` alone",
	} {
		if got := flags.Spell(cmd, text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}

// libraries are the folders whose texts the command prints.
var libraries = []string{"solvers", "stream", "sketch", "kernelgen", "blockstore"}

// TestLibrariesNameSettings checks that no text of a library names a flag, and that
// each setting in backquotes is a flag of some command.
func TestLibrariesNameSettings(t *testing.T) {
	known := allFlags(t)
	setting := regexp.MustCompile("`([^`\n]+)`")
	named := regexp.MustCompile(`(^|[ (])--[a-z]`)
	for _, folder := range libraries {
		for where, text := range literals(t, filepath.Join("../..", folder)) {
			if named.MatchString(text) {
				t.Errorf("%s: %q names a flag; put the setting in backquotes", where, text)
			}
			for _, match := range setting.FindAllStringSubmatch(text, -1) {
				name, _, _ := strings.Cut(match[1], " ")
				if !known[name] && !strings.Contains(name, "%") {
					t.Errorf("%s: `%s` in %q is no flag of any command", where, name, text)
				}
			}
		}
	}
}

// allFlags returns the names of the flags of all commands.
func allFlags(t *testing.T) map[string]bool {
	names := make(map[string]bool)
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		add := func(f *pflag.Flag) { names[f.Name] = true }
		cmd.Flags().VisitAll(add)
		cmd.PersistentFlags().VisitAll(add)
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(wholeRoot(t))
	return names
}

// literals returns the string literals of the Go files in a folder that are not
// tests, by where they are.
func literals(t *testing.T, folder string) map[string]string {
	texts := make(map[string]string)
	inspect(t, folder, func(where string, n ast.Node) {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			texts[where], _ = strconv.Unquote(l.Value)
		}
	})
	return texts
}

// inspect visits the syntax of the Go files below a folder, but of tests.
func inspect(t *testing.T, folder string, visit func(where string, n ast.Node)) {
	files := token.NewFileSet()
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				visit(files.Position(n.Pos()).String(), n)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
