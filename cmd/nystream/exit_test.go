package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Errors of libraries begin with what is wrong, since users read them. Panics begin with the package name.
func TestErrorsNameNoPackage(t *testing.T) {
	makers := []string{"errors.New", "fmt.Errorf", "stream.NewDataError", "stream.NewValueError", "fault.New", "fault.File", "fault.Cell", "NewDataError", "NewValueError"}
	calls := 0
	for _, folder := range append(libraries, "internal") {
		inspect(t, filepath.Join("../..", folder), func(where token.Position, n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || !slices.Contains(makers, types.ExprString(call.Fun)) {
				return
			}
			calls++
			for _, arg := range call.Args {
				if text := types.ExprString(arg); strings.HasPrefix(text, `"`+filepath.Base(filepath.Dir(where.Filename))+": ") {
					t.Errorf("%s: %s names its package", where, text)
				}
			}
		})
	}
	if calls < 500 {
		t.Errorf("%d errors were looked at", calls)
	}
}
