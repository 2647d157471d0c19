package nystream

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ownContext are the files whose work has no caller with a context: faults of the disk, and the
// context of a program that has not said which is its own.
var ownContext = []string{
	"blockstore/internal/file/spool.go", "blockstore/internal/arrow/body.go", "blockstore/object/object.go",
}

// formats is the folder of the readers that tell an end of the context by context.Canceled.
const formats = "blockstore/internal/"

// TestContexts reads the libraries. A context comes from the caller, and its error is
// context.Cause, but for readers of formats: they tell an end of the context from a damaged file
// by context.Canceled, and the passes above them return the cause. No error is joined by cmp.Or
// with work that begins after it.
func TestContexts(t *testing.T) {
	files := 0
	for _, root := range []string{"solvers", "sketch", "stream", "kernelgen", "blockstore", "internal"} {
		files += eachFile(t, root, checkContexts)
	}
	if files < 300 {
		t.Errorf("%d files: the test looks at little", files)
	}
}

// eachFile parses the files of a folder but for tests, and returns their number.
func eachFile(t *testing.T, root string, check func(t *testing.T, name string, set *token.FileSet, file *ast.File)) (files int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(path)
		if err == nil && d.IsDir() && (d.Name() == "_gen" || d.Name() == "filetest" || d.Name() == "conformance") {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err == nil {
			check(t, name, set, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func checkContexts(t *testing.T, name string, set *token.FileSet, file *ast.File) {
	t.Helper()
	compared := make(map[ast.Expr]bool) // with nil, which says only that the context has ended
	ast.Inspect(file, func(n ast.Node) bool {
		if b, is := n.(*ast.BinaryExpr); is {
			compared[b.X] = true
		}
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		switch callee := text(call.Fun); {
		case (callee == "context.Background" || callee == "context.TODO") && !slices.Contains(ownContext, name):
			t.Errorf("%v: %s: take the context of the caller", set.Position(n.Pos()), callee)
		case strings.HasSuffix(callee, "ctx.Err") && !compared[call] && !strings.HasPrefix(name, formats):
			t.Errorf("%v: %s: the reason is context.Cause", set.Position(n.Pos()), callee)
		case callee == "cmp.Or" && worksOn(call.Args):
			t.Errorf("%v: cmp.Or calls a function though one before it failed: return between", set.Position(n.Pos()))
		}
		return true
	})
}

// tilesFolder is the only package of solvers that evaluates kernels between rows.
const tilesFolder = "solvers/internal/tiles/"

// ownPanels are the other files of solvers that pack rows for a kernel.
var ownPanels = []string{
	"solvers/lowrank/rff.go", // the phases of Fourier features: products with frequencies, not entries of the kernel
}

// TestTiles reads the solvers. Kernel.Fill and Kernel.FillLog need a Panel, and only Kernel.Pack makes
// one: so who neither packs nor names a Panel cannot fill a tile without package tiles.
func TestTiles(t *testing.T) {
	inside := 0 // calls of Pack in package tiles, so that a new name of the method is noticed
	eachFile(t, "solvers", func(t *testing.T, name string, set *token.FileSet, file *ast.File) {
		t.Helper()
		ast.Inspect(file, func(n ast.Node) bool {
			s, is := n.(*ast.SelectorExpr)
			if !is || s.Sel.Name != "Pack" && s.Sel.Name != "FillLog" && text(s) != "kernelgen.Panel" {
				return true
			}
			if strings.HasPrefix(name, tilesFolder) {
				inside++
			} else if !slices.Contains(ownPanels, name) {
				t.Errorf("%v: %s: package tiles evaluates kernels for solvers", set.Position(n.Pos()), s.Sel.Name)
			}
			return true
		})
	})
	if inside < 3 {
		t.Errorf("package tiles names Pack, FillLog and Panel %d times: the test looks for other names", inside)
	}
}

// text returns a selector as it is written.
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return text(e.X) + "." + e.Sel.Name
	}
	return ""
}

// worksOn reports whether arguments are an error and a call, or calls of which one takes a context.
func worksOn(args []ast.Expr) bool {
	calls, long := 0, text(args[0]) == "err"
	for _, arg := range args {
		if call, is := arg.(*ast.CallExpr); is {
			calls++
			long = long || slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return text(a) == "ctx" })
		}
	}
	return long && calls > 0 && len(args) > 1
}
