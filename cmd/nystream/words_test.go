package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
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
		"lower `Rank` or `Landmarks`":             "lower --rank or --landmarks",
		"scale them (`Treatment.Scale standard`)": "scale them (--scale standard)",
		"reach it (`ErrorTol 0.1`)":               "reach it (--tol 0.1)", // the flag has another name
		"raise `Engine.Memory`":                   "raise --memory",       // global
		"`Algorithm linear` is quicker":           "engine linear is quicker",
		"raise `Data.MarginalPenalty`":            "raise marginal-penalty",
		"by `columns 'a b'`":                      "by --columns 'a b'",
		"a quote ` alone":                         "a quote ` alone",
		"no name `data/a.csv`":                    "no name `data/a.csv`",
	} {
		if got := flags.Spell(cmd, text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}

// libraries are the folders whose texts the command prints.
var libraries = []string{"solvers", "stream", "sketch", "kernelgen", "blockstore"}

// TestLibrariesNameSettings checks that no text of a library names a flag, and that each setting in backquotes is a
// flag of some command and a name of Go: see [surface.has].
func TestLibrariesNameSettings(t *testing.T) {
	public, declared, used := readSurface(t), allFlags(t), map[string]bool{}
	setting := regexp.MustCompile("`(?:([A-Z]\\w*)\\.)?([^` \n]+)[^`\n]*`")
	named := regexp.MustCompile(`(^|[ (])--[a-z]`)
	inspectLibraries(t, func(where token.Position, n ast.Node) {
		l, ok := n.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return
		}
		text, _ := strconv.Unquote(l.Value)
		if named.MatchString(text) {
			t.Errorf("%s: %q names a flag; put the setting in backquotes", where, text)
		}
		for _, match := range setting.FindAllStringSubmatch(text, -1) {
			of, name := match[1], match[2]
			used[name] = true
			if !slices.ContainsFunc(declared, func(f *flags.Flag) bool { return f.Sets(name) }) {
				t.Errorf("%s: %s is no flag of any command", where, match[0])
			}
			for name := range strings.SplitSeq(name, "/") {
				if !public.has(filepath.Dir(where.Filename), of, name) {
					t.Errorf("%s: %s is no name of Go as messages have them", where, match[0])
				}
			}
		}
	})
	for _, f := range declared {
		if f.Field != "" && !used[f.Field] {
			t.Errorf("--%s sets %s, which no text of a library names", f.Name, f.Field)
			used[f.Field] = true // many commands have the flag
		}
	}
}

// surface is what users of the libraries can name.
type surface struct {
	names    map[string]bool     // of exported types and functions
	members  map[string][]string // fields and methods of types, parameters of functions and methods
	settings map[string][]string // fields of the methods and operators in a folder
	fits     map[string]bool     // types that are methods or operators
}

// has reports whether a text in a folder may name a setting so: a field of a method or an operator alone, any other
// field behind its type, a parameter behind its function, a type or function alone.
func (s *surface) has(folder, of, name string) bool {
	switch {
	case of != "":
		return s.names[of] && !s.fits[of] && slices.Contains(s.members[of], name)
	case strings.Contains(folder, "/internal/"): // of several families
		folder = ""
	}
	return s.names[name] || slices.Contains(s.settings[folder], name)
}

// readSurface reads the surface of the libraries.
func readSurface(t *testing.T) *surface {
	s := &surface{map[string]bool{}, map[string][]string{}, map[string][]string{}, map[string]bool{}}
	type place struct{ folder, name string }
	fields, methods := map[place][]string{}, map[place]bool{}
	inspectLibraries(t, func(where token.Position, n ast.Node) {
		folder := filepath.Dir(where.Filename)
		var name string
		switch n := n.(type) {
		case *ast.TypeSpec:
			name = n.Name.Name
			if st, ok := n.Type.(*ast.StructType); ok {
				fields[place{folder, name}] = memberNames(st.Fields)
				s.members[name] = append(s.members[name], memberNames(st.Fields)...)
			}
		case *ast.FuncDecl:
			name = n.Name.Name
			s.members[name] = append(s.members[name], memberNames(n.Type.Params)...)
			if n.Recv != nil {
				of := memberNames(&ast.FieldList{List: []*ast.Field{{Type: n.Recv.List[0].Type}}})[0]
				s.members[of] = append(s.members[of], name)
				methods[place{folder, of}] = methods[place{folder, of}] || name == "Plan" || name == "Fit" || name == "Traits"
			}
		}
		s.names[name] = s.names[name] || ast.IsExported(name) && !strings.Contains(folder, "/internal/")
	})
	for method, fits := range methods {
		if fits && ast.IsExported(method.name) {
			s.fits[method.name] = true
			list := fields[method]
			for _, name := range list { // may be embedded
				list = append(list, fields[place{method.folder, name}]...)
			}
			s.settings[method.folder] = append(s.settings[method.folder], list...)
			s.settings[""] = append(s.settings[""], list...)
		}
	}
	return s
}

// memberNames returns the names of fields, embedded ones by their type.
func memberNames(list *ast.FieldList) (names []string) {
	for _, f := range list.List {
		for _, name := range f.Names {
			names = append(names, name.Name)
		}
		if f.Names == nil {
			text := strings.TrimLeft(types.ExprString(f.Type), "*")
			text, _, _ = strings.Cut(text, "[")
			names = append(names, text[strings.LastIndexByte(text, '.')+1:])
		}
	}
	return names
}

// inspectLibraries visits the syntax of all libraries.
func inspectLibraries(t *testing.T, visit func(where token.Position, n ast.Node)) {
	for _, folder := range libraries {
		inspect(t, filepath.Join("../..", folder), visit)
	}
}

// allFlags returns the flags of all commands.
func allFlags(t *testing.T) (all []*flags.Flag) {
	flags.EveryCommand(wholeRoot(t), func(cmd *cobra.Command) {
		add := func(f *pflag.Flag) {
			if declared := flags.Declaration(f); declared != nil {
				all = append(all, declared)
			}
		}
		cmd.Flags().VisitAll(add)
		cmd.PersistentFlags().VisitAll(add)
	})
	return all
}

// inspect visits the syntax of the Go files below a folder, but of tests.
func inspect(t *testing.T, folder string, visit func(where token.Position, n ast.Node)) {
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
				visit(files.Position(n.Pos()), n)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
