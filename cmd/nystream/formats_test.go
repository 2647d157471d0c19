package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/verb"
)

// TestFormatsAreEverywhere compares every place that lists formats with the table in blockstore/internal/formats: the
// table for users, the packages, completion, words of flags, readers and writers. It names the places that lack a
// format.
func TestFormatsAreEverywhere(t *testing.T) {
	checkFormatPage(t, "../../docs/formats.md")
	layout := mustReadText(t, "../../blockstore/doc.go")
	for _, format := range allFormats() {
		if !strings.Contains(layout, "`"+format+"`") {
			t.Errorf("blockstore/doc.go: it does not say which package has `%s`", format)
		}
		checkFormatFlags(t, format)
		checkFormatReader(t, format)
		checkFormatWriter(t, format)
	}
}

// allFormats returns the formats that are read or written.
func allFormats() []string {
	all := blockstore.Formats()
	for _, format := range blockstore.OutputFormats() {
		if !slices.Contains(all, format) {
			all = append(all, format)
		}
	}
	return all
}

func mustReadText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// formatRow is a row of a table of formats for users.
type formatRow struct {
	extensions    []string
	read, written bool
}

// formatRows parses a table of formats: rows with extensions, followed by two cells of yes or no.
func formatRows(text string) (rows []formatRow) {
	for line := range strings.Lines(text) {
		var r formatRow
		var answers []bool
		for _, word := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune("| ,\n", c) }) {
			switch {
			case len(answers) == 0 && strings.HasPrefix(word, "."):
				r.extensions = append(r.extensions, word)
			case word == "yes" || word == "no":
				answers = append(answers, word == "yes")
			}
		}
		if len(r.extensions) > 0 && len(answers) >= 2 {
			r.read, r.written = answers[0], answers[1]
			rows = append(rows, r)
		}
	}
	return rows
}

// checkFormatPage compares the table of a page with the formats, in both directions.
func checkFormatPage(t *testing.T, page string) {
	rows := formatRows(mustReadText(t, page))
	for _, format := range allFormats() {
		extensions := slices.Concat(blockstore.Extensions(format), blockstore.OutputExtensions(format))
		slices.Sort(extensions)
		for _, extension := range slices.Compact(extensions) {
			if !slices.ContainsFunc(rows, func(r formatRow) bool { return slices.Contains(r.extensions, extension) }) {
				t.Errorf("%s: no row has %s, an extension of the format %s", page, extension, format)
			}
		}
	}
	for _, r := range rows {
		if written := slices.ContainsFunc(r.extensions, func(e string) bool { return blockstore.OutputFormat("a"+e) != "" }); r.written != written {
			t.Errorf("%s: the row with %s says written %v, and it is %v", page, r.extensions, r.written, written)
		}
		for _, extension := range r.extensions {
			if read := slices.Contains(flags.DataExtensions, extension[1:]); r.read != read {
				t.Errorf("%s: the row with %s says read %v, and it is %v", page, extension, r.read, read)
			}
		}
	}
}

// checkFormatFlags checks that completion and the words of flags include a format.
func checkFormatFlags(t *testing.T, format string) {
	declared := flags.New(verb.NewConvert(app.New(t.Context(), nil, nil, nil)))
	for _, place := range []struct {
		flag       string
		formats    []string
		completion []string
		extensions []string
	}{
		{"input-format", blockstore.Formats(), flags.DataExtensions, blockstore.Extensions(format)},
		{"output-format", blockstore.OutputFormats(), flags.OutputExtensions, blockstore.OutputExtensions(format)},
	} {
		if !slices.Contains(place.formats, format) {
			continue
		}
		if !strings.Contains(declared.Flag(place.flag).Doc, format) {
			t.Errorf("the usage of --%s lacks %s", place.flag, format)
		}
		if len(place.extensions) == 0 || !slices.Contains(place.completion, place.extensions[0][1:]) {
			t.Errorf("completion.go: no extension is completed for files of the format %s (--%s)", format, place.flag)
		}
	}
}

// checkFormatReader checks that a format has a reader, which its extensions select. Whether the file is valid is
// irrelevant.
func checkFormatReader(t *testing.T, format string) {
	extensions := blockstore.Extensions(format)
	if len(extensions) == 0 {
		return
	}
	path := filepath.Join(t.TempDir(), "a"+extensions[0])
	if err := os.WriteFile(path, []byte("a\n1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	open := func(format string) string {
		if _, err := blockstore.Open(t.Context(), []string{path}, blockstore.Options{Format: format}); err != nil {
			return err.Error()
		}
		return ""
	}
	named := open(format)
	if strings.Contains(named, "there is no reader") {
		t.Errorf("blockstore/open.go: %s", named)
	}
	if found := open(""); blockstore.NamesText(path) && found != named {
		t.Errorf("SniffIn of blockstore/internal/formats: a file named %s is opened with %q, but by `format %s` with %q", extensions[0], found, format, named)
	}
}

// checkFormatWriter checks that a format has a writer.
func checkFormatWriter(t *testing.T, format string) {
	if len(blockstore.OutputExtensions(format)) == 0 {
		return
	}
	w, err := blockstore.Create(filepath.Join(t.TempDir(), "a"), blockstore.Schema{Columns: []string{"a"}, Rows: -1, Format: format})
	if err != nil {
		t.Errorf("blockstore/writer.go: %v", err)
		return
	}
	w.Abort()
}
