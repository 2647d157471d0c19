package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/demo"
)

// runDemo runs the demo on few rows, and gives the exit code and what it prints.
func runDemo(t *testing.T, args ...string) (code int, out, failed string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = run(context.Background(), append([]string{"demo", "--rows", "2000"}, args...), strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's a demo")
	code, out, failed := runDemo(t, "--dir", dir, "--format", "json")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, failed)
	}
	var r struct {
		SpectralError float64        `json:"relative_spectral_error"`
		PhaseError    float64        `json:"phase_error_degrees"`
		Rows          int64          `json:"rows"`
		MatrixEntries float64        `json:"matrix_entries"`
		NewRows       int            `json:"new_rows"`
		Passes        map[string]int `json:"passes"`
		Files         []string       `json:"files"`
		Commands      []string       `json:"commands"`
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if e := r.SpectralError; !(e > 0 && e < 0.02) {
		t.Errorf("spectral error %v", e)
	}
	if e := r.PhaseError; !(e > 0 && e < 5) {
		t.Errorf("phase error %v degrees", e)
	}
	if r.Rows != 2000 || r.MatrixEntries != 2000*2000 || r.NewRows != demo.NewRows || r.Passes["data"] != 1 {
		t.Errorf("result %+v", r)
	}
	for _, path := range r.Files {
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%s is not there or empty: %v", path, err)
		}
	}
	checkDrawings(t, dir)
	checkNewRows(t, dir)
	checkAgain(t, dir, r.Commands)
}

// checkDrawings reads the SVG files, and counts what is drawn.
func checkDrawings(t *testing.T, dir string) {
	for name, least := range map[string]int{demo.SpectrumFile: demo.Rank, demo.PictureFile: 2 * demo.NewRows} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		dots := 0
		decoder := xml.NewDecoder(strings.NewReader(string(data)))
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "path" {
				dots += strings.Count(start.Attr[0].Value, "h0") // a path draws many
			}
		}
		if dots < least || strings.Contains(string(data), "NaN") {
			t.Errorf("%s draws %d dots, want %d at least, none with NaN", name, dots, least)
		}
	}
}

// checkNewRows checks that the embedding holds the new rows with their phases, in
// order.
func checkNewRows(t *testing.T, dir string) {
	got := table(t, filepath.Join(dir, "new-embedding.parquet"), "[ulp]")
	if got.Rows != demo.NewRows || got.Cols != demo.Rank+2 {
		t.Fatalf("%d × %d numbers", got.Rows, got.Cols)
	}
	want := table(t, filepath.Join(dir, "new.parquet"), "[lp]")
	for i := range got.Rows {
		if row := got.Data[i*got.Stride:]; !slices.Equal(row[demo.Rank:demo.Rank+2], want.Data[2*i:2*i+2]) {
			t.Fatalf("row %d: lobe and phase %v, want %v", i, row[demo.Rank:demo.Rank+2], want.Data[2*i:2*i+2])
		}
	}
}

// checkAgain checks that another demo replaces the first, and that the model is
// the same.
func checkAgain(t *testing.T, dir string, commands []string) {
	before, err := os.ReadFile(filepath.Join(dir, demo.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	code, out, failed := runDemo(t, "--dir", dir, "--threads", "1")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, failed)
	}
	for _, c := range commands {
		if !strings.Contains(out, c) || !strings.Contains(c, `it'\''s a demo/`) {
			t.Errorf("%s\nis not shown, or not quoted, in\n%s", c, out)
		}
	}
	after, err := os.ReadFile(filepath.Join(dir, demo.ModelFile))
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("another demo of the same seed left another model")
	}
}

func TestDemoRefuses(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "thesis")
	chapter := filepath.Join(dir, "chapter.tex")
	if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(chapter, []byte("text"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"holds chapter.tex":       {"--dir", dir},
		"there is no folder":      {"--dir", filepath.Join(parent, "no", "demo")},
		"--dir":                   {"--dir", chapter},
		"needs at least 2000":     {"--dir", filepath.Join(parent, "demo"), "--rows", "10"},
		"unknown command \"all\"": {"all"},
	} {
		var out strings.Builder
		fails(t, append([]string{"demo", "--rows", "2000"}, args...), nil, &out, exitUsage, want)
		if out.Len() > 0 {
			t.Errorf("demo %v prints %q", args, out.String())
		}
	}
	checkOnly(t, parent, "thesis")
}

// TestDemoLeavesNothing makes a step fail.
func TestDemoLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	code, _, failed := runDemo(t, "--dir", filepath.Join(parent, "demo"), "--memory", "1MiB")
	if code != exitBudget {
		t.Errorf("exit code %d: %s", code, failed)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := run(ctx, []string{"demo", "--dir", filepath.Join(parent, "demo")}, strings.NewReader(""), io.Discard, io.Discard); code != exitInterrupted {
		t.Errorf("exit code %d when interrupted", code)
	}
	checkOnly(t, parent)
}

func checkOnly(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}
