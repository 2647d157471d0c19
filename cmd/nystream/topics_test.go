package main

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
)

// Every key of the lines of --log-format json is in help. Reports are checked by checkDocs.
func TestLogKeysAreExplained(t *testing.T) {
	text, err := os.ReadFile("internal/flags/topics/json.txt")
	if err != nil {
		t.Fatal(err)
	}
	explained := docWord.FindAllString(string(text), -1)
	for _, line := range []reflect.Type{reflect.TypeFor[app.LogLine](), reflect.TypeFor[app.PassState]()} {
		for i := range line.NumField() {
			name, _, _ := strings.Cut(line.Field(i).Tag.Get("json"), ",")
			if name != "" && !slices.Contains(explained, name) {
				t.Errorf("internal/flags/topics/json.txt lacks %s of %v", name, line)
			}
		}
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
	for _, c := range fit.NewCommand(app.New(t.Context(), nil, nil, nil), families).Commands() {
		if !strings.Contains(methods, c.Name()+" ") {
			t.Errorf("internal/flags/topics/methods.txt does not tell of %s", c.Name())
		}
	}
}
