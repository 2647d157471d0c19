package main

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// Help explains every key of --log-format json. checkDocs does so for reports.
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

// The topic methods lists every method of fit.
func TestTopicsAreWhole(t *testing.T) {
	a := app.New(t.Context(), nil, nil, nil)
	methods, _, err := newRootCommand(a).Find([]string{"methods"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range fit.NewCommand(a, families).Commands() {
		if !slices.Contains(docWord.FindAllString(flags.LongText(methods), -1), c.Name()) {
			t.Errorf("the topic methods does not tell of %s", c.Name())
		}
	}
}

// Pages of docs become topics without markup, up to the mark that ends the topic.
func TestPagesAreTopics(t *testing.T) {
	for _, name := range []string{"formats", "glossary", "methods", "model", "shards"} {
		c, _, err := newRootCommand(app.New(t.Context(), nil, nil, nil)).Find([]string{name})
		if err != nil || c.Name() != name || c.Short == "" {
			t.Fatalf("there is no topic %s: %v", name, err)
		}
		for _, mark := range []string{"`", "**", "](", "|---", "<!--"} {
			if strings.Contains(flags.LongText(c), mark) {
				t.Errorf("the topic %s contains %s", name, mark)
			}
		}
	}
}
