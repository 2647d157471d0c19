package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notPrinted are types whose JSON is kept in files, which help says nothing of.
var notPrinted = []string{"savedFit", "rowsData", "graphData"}

// Every name in what is printed as JSON is explained in the help of it.
func TestJSONIsExplained(t *testing.T) {
	text, err := os.ReadFile("internal/flags/topics/json.txt")
	if err != nil {
		t.Fatal(err)
	}
	explained := regexp.MustCompile(`[A-Za-z0-9_]+`).FindAllString(string(text), -1)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				put, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || put.Sel.Name != "Put" && put.Sel.Name != "PutSome" {
					return true
				}
				if key, ok := call.Args[0].(*ast.BasicLit); ok {
					if found++; !slices.Contains(explained, strings.Trim(key.Value, `"`)) {
						t.Errorf("%s: the field %s is not explained in topics/json.txt", file, key.Value)
					}
				}
				return true
			}
			spec, ok := n.(*ast.TypeSpec)
			if !ok || slices.Contains(notPrinted, spec.Name.Name) {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				if field.Tag == nil {
					continue
				}
				name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
				if found++; name != "" && !slices.Contains(explained, name) {
					t.Errorf("%s: %q of %s is not explained in topics/json.txt", file, name, spec.Name.Name)
				}
			}
			return true
		})
	}
	if found < 100 {
		t.Errorf("only %d names were found", found)
	}
}

// Every method of fit is in the help that tells them apart, and every exit code in its own.
func TestTopicsAreWhole(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("internal/flags/topics/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	methods := read("methods.txt")
	for _, c := range newFitCommand(newApp(t.Context(), nil, nil, nil), families).Commands() {
		if !strings.Contains(methods, c.Name()+" ") {
			t.Errorf("internal/flags/topics/methods.txt does not tell of %s", c.Name())
		}
	}
}
