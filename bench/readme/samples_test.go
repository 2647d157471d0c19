package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	doc "go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// modulePath is the prefix of the paths of all packages.
const modulePath = "github.com/nystream/nystream"

// given declares the variables that a sample may use undeclared.
const given = `ctx context.Context, src stream.Source, m mat.Dense, sample, landmarks, tile, rows blas64.General,
	workspace kernelgen.Workspace, a *sparse.CSR`

// sample is Go code of a page or of a doc comment.
type sample struct{ where, code string }

// TestSamplesCompile compiles the Go code of README.md, docs and the doc comments of all public packages, each sample
// as a function.
func TestSamplesCompile(t *testing.T) {
	root, all := pages(t)
	var samples []sample
	for _, p := range all {
		for _, block := range p.fences("go") {
			samples = append(samples, sample{p.name, block})
		}
	}
	ofPages := len(samples)
	packages, commented := documented(t, root)
	samples = append(samples, commented...)
	if ofPages < 4 || len(commented) < 6 {
		t.Errorf("only %d samples of pages and %d of doc comments are found", ofPages, len(commented))
	}
	dir, overlay := t.TempDir(), map[string]string{}
	for n, s := range samples {
		source, err := format.Source([]byte(asFile(s.code, n, packages)))
		if err != nil {
			t.Errorf("%s: %v\n%s", s.where, err, s.code)
			continue
		}
		file := filepath.Join(dir, fmt.Sprintf("sample%d.go", n))
		if err := os.WriteFile(file, source, 0o666); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, "bench", "readme", "samples", filepath.Base(file))] = file
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", file, "./bench/readme/samples")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		where := regexp.MustCompile(`sample(\d+)\.go`).ReplaceAllStringFunc(string(out), func(name string) string {
			n := 0
			fmt.Sscanf(name, "sample%d.go", &n)
			return samples[n].where
		})
		t.Errorf("%v\n%s", err, where)
	}
}

// documented returns the paths of all public packages by name, and the Go code in their doc comments.
func documented(t *testing.T, root string) (packages map[string]string, samples []sample) {
	t.Helper()
	packages = map[string]string{"blas64": "gonum.org/v1/gonum/blas/blas64", "context": "context", "fmt": "fmt",
		"http": "net/http", "iter": "iter", "json": "encoding/json", "mat": "gonum.org/v1/gonum/mat", "math": "math", "os": "os"}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{"cmd", "bench", "python", "internal", "testdata", ".git", ".ci", "_gen"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		packages[parsed.Name.Name] = path.Join(modulePath, filepath.ToSlash(filepath.Dir(name)))
		for _, group := range parsed.Comments {
			for _, code := range codeOf(group) {
				samples = append(samples, sample{fmt.Sprintf("%s:%d", name, set.Position(group.Pos()).Line), code})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages, samples
}

// isGo matches a declaration or a call of a package, which formulas, tables and signatures lack.
var isGo = regexp.MustCompile(`:=|\b[a-z]\w*\.[A-Z]\w*(\[\w+\])?[({]`)

// codeOf returns the Go code of a doc comment.
func codeOf(group *ast.CommentGroup) (list []string) {
	for _, block := range new(doc.Parser).Parse(group.Text()).Content {
		if code, is := block.(*doc.Code); is && isGo.MatchString(code.Text) {
			list = append(list, code.Text)
		}
	}
	return list
}

// asFile turns statements into a Go file that imports the packages they name and uses the variables they declare.
func asFile(block string, number int, packages map[string]string) string {
	body := fmt.Sprintf("func sample%d(%s) error {\n{\n%s\n%s}\nreturn nil\n}\n", number, given, block, used(block))
	var b strings.Builder
	b.WriteString("package samples\nimport (\n")
	for name, path := range packages {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(body) {
			fmt.Fprintf(&b, "%q\n", path)
		}
	}
	return b.String() + ")\n" + body
}

// used returns statements that use all variables declared at the top level of a block.
func used(block string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() {\n"+block+"\n}\n", 0)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, s := range file.Decls[0].(*ast.FuncDecl).Body.List {
		if assign, is := s.(*ast.AssignStmt); is && assign.Tok == token.DEFINE {
			for _, v := range assign.Lhs {
				if id, is := v.(*ast.Ident); is && id.Name != "_" {
					fmt.Fprintf(&b, "_ = %s\n", id.Name)
				}
			}
		}
	}
	return b.String()
}
