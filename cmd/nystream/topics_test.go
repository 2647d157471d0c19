package main

import (
	"os"
	"strings"
	"testing"
)

// Every method of fit is in the help that tells them apart, and every exit code in its own.
func TestTopicsAreWhole(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("topics/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	methods := read("methods.txt")
	for _, c := range newFitCommand(newApp(t.Context(), nil, nil, nil)).Commands() {
		if !strings.Contains(methods, c.Name()+" ") {
			t.Errorf("topics/methods.txt does not tell of %s", c.Name())
		}
	}
}
