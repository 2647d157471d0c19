package main

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every key of the lines of --log-format json is in help. Reports are checked by checkDocs.
func TestLogKeysAreExplained(t *testing.T) {
	text, err := os.ReadFile("internal/flags/topics/json.txt")
	if err != nil {
		t.Fatal(err)
	}
	explained := docWord.FindAllString(string(text), -1)
	for _, line := range []reflect.Type{reflect.TypeFor[logLine](), reflect.TypeFor[passState]()} {
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
	for _, c := range newFitCommand(newApp(t.Context(), nil, nil, nil), families).Commands() {
		if !strings.Contains(methods, c.Name()+" ") {
			t.Errorf("internal/flags/topics/methods.txt does not tell of %s", c.Name())
		}
	}
}
