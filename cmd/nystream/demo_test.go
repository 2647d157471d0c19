package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/verb"
)

// runDemo runs the demo on few rows and returns the exit code and both outputs.
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
	if code != app.ExitOK {
		t.Fatalf("exit code %d: %s", code, failed)
	}
	var r struct {
		Rows          int64   `json:"rows"`
		Rank          int     `json:"rank"`
		SpectralError float64 `json:"relative_spectral_error"`
		Columns       int     `json:"columns"`
	}
	for lines := json.NewDecoder(strings.NewReader(out)); lines.More(); {
		if err := lines.Decode(&r); err != nil {
			t.Fatal(err)
		}
	}
	if r.Rank != 60 || r.Columns != 60 || r.Rows != verb.DemoNewRows || !(r.SpectralError > 0 && r.SpectralError < 0.02) {
		t.Errorf("results %+v", r)
	}
	drawn, err := os.ReadFile(filepath.Join(dir, "embedding.svg"))
	if dots := strings.Count(string(drawn), "<path"); err != nil || dots < 2*verb.DemoNewRows || strings.Contains(string(drawn), "NaN") {
		t.Errorf("%d dots are drawn: %v", dots, err)
	}
	got, want := table(t, filepath.Join(dir, "new-embedding.parquet"), "phase"), table(t, filepath.Join(dir, "new.parquet"), "phase")
	if got.Rows != verb.DemoNewRows || !slices.Equal(got.Data, want.Data) {
		t.Error("the phases of new rows are others in their embedding")
	}
	// Another demo replaces the first, and makes the same model.
	before, err := os.ReadFile(filepath.Join(dir, "knot.npz"))
	if err != nil {
		t.Fatal(err)
	}
	code, out, failed = runDemo(t, "--dir", dir, "--threads", "1", "--format", "text")
	after, err := os.ReadFile(filepath.Join(dir, "knot.npz"))
	if code != app.ExitOK || err != nil || !strings.Contains(out, `nystream verify '`) || !strings.Contains(out, `it'\''s a demo/`) {
		t.Fatalf("exit code %d: %s%s, %v", code, failed, out, err)
	}
	if string(before) != string(after) {
		t.Error("another demo of the same seed left another model")
	}
}

func TestDemoRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chapter.tex")
	if err := os.WriteFile(file, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--dir":                   {"--dir", file},
		"needs at least 2000":     {"--dir", t.TempDir(), "--rows", "10"},
		"unknown command \"all\"": {"all"},
	} {
		var out strings.Builder
		fails(t, append([]string{"demo", "--rows", "2000"}, args...), nil, &out, app.ExitUsage, want)
		if out.Len() > 0 {
			t.Errorf("demo %v prints %q", args, out.String())
		}
	}
	if code, _, failed := runDemo(t, "--dir", t.TempDir(), "--memory", "1MiB"); code != app.ExitBudget {
		t.Errorf("exit code %d: %s", code, failed)
	}
}

// The CSV files of the documentation's examples are the same in every run, and the letters can be classified.
func TestDemoCSV(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	var before []byte
	for range 2 {
		if code, _, failed := runDemo(t, "--csv", dir, "--format", "json"); code != app.ExitOK {
			t.Fatalf("exit code %d: %s", code, failed)
		}
		train, err := os.ReadFile(filepath.Join(dir, "train.csv"))
		if err != nil || before != nil && string(train) != string(before) {
			t.Fatalf("train.csv differs from that of the first run: %v", err)
		}
		before = train
	}
	for _, args := range [][]string{
		{"fit", "ridge", dir + "/train.csv", "--label", "letter", "--kernel", "rbf(gamma=0.25*median)", "--penalty", "0.01",
			"--landmarks", "200", "-o", dir + "/m.npz", "--quiet", "--format", "json"},
		{"predict", dir + "/m.npz", dir + "/test.csv", "--label", "letter", "--quiet", "--format", "json"},
	} {
		var out, failed strings.Builder
		if code := run(context.Background(), args, strings.NewReader(""), &out, &failed); code != app.ExitOK {
			t.Fatal(failed.String())
		}
		var r struct {
			Rows     int64   `json:"rows"`
			Accuracy float64 `json:"accuracy"`
		}
		if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
			t.Fatal(err)
		}
		if args[0] == "predict" && (r.Rows != verb.LetterNewRows || r.Accuracy < 0.85) {
			t.Errorf("%d rows, accuracy %g", r.Rows, r.Accuracy)
		}
	}
}
