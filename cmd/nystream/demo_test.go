package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// runDemo runs the demo on few rows, and gives the exit code and what it prints.
func runDemo(t *testing.T, args ...string) (code int, out, failed string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = run(context.Background(), append([]string{"demo", "--rows", "2500"}, args...), strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a demo")
	code, out, failed := runDemo(t, "--dir", dir, "--format", "json")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, failed)
	}
	var r demoResult
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if e := r.SpectralError; !(e > 0 && e < 0.02) {
		t.Errorf("spectral error %v", e)
	}
	if e := r.PhaseError; !(e > 0 && e < 5) {
		t.Errorf("phase error %v degrees", e)
	}
	if r.Rows != 2500 || r.MatrixEntries != 2500*2500 || r.NewRows != demoNewRows || r.Passes["data"] != 1 {
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
	for name, least := range map[string]int{demoSpectrum: demoRank, demoPicture: 2 * demoNewRows} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		paths := 0
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
				paths++
			}
		}
		if paths < least || strings.Contains(string(data), "NaN") {
			t.Errorf("%s draws %d paths, want %d at least, none with NaN", name, paths, least)
		}
	}
}

// checkNewRows checks that the embedding holds the new rows with their phases,
// in order.
func checkNewRows(t *testing.T, dir string) {
	names := append(factorNames("left", demoRank), "lobe", "phase")
	got, err := readColumns(t.Context(), filepath.Join(dir, demoEmbedding), names...)
	if err != nil {
		t.Fatal(err)
	}
	if got.Rows != demoNewRows {
		t.Errorf("%d rows, want %d", got.Rows, demoNewRows)
	}
	k, x := newKnot(1), stream.NewMatrix(1, knotDimension)
	for i := range got.Rows {
		phase := k.row(2500+uint64(i), matrixRow(x, 0))
		row := got.Data[i*got.Stride:]
		if row[demoRank+1] != phase || row[demoRank] != math.Floor(phase/120) {
			t.Fatalf("row %d: lobe %v, phase %v, want %v", i, row[demoRank], row[demoRank+1], phase)
		}
	}
}

// checkAgain checks that another demo replaces the first, and that the model is
// the same.
func checkAgain(t *testing.T, dir string, commands []string) {
	before, err := os.ReadFile(filepath.Join(dir, demoModel))
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
	after, err := os.ReadFile(filepath.Join(dir, demoModel))
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
		code, out, failed := runDemo(t, args...)
		if code != exitUsage || out != "" || !strings.Contains(failed, want) {
			t.Errorf("demo %v: exit code %d, %q, %q", args, code, out, failed)
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

// TestKnot checks that rows lie near the knot, depend on seed and number alone,
// and are the same however they are written.
func TestKnot(t *testing.T) {
	k, x := newKnot(1), stream.NewMatrix(2, knotDimension)
	var off float64
	const rows = 2000
	for i := range uint64(rows) {
		v := matrixRow(x, 0)
		k.row(i, v)
		for j := range k.frame.Rows {
			u := matrixRow(k.frame, j)
			blas64.Axpy(-blas64.Dot(u, v), u, v)
		}
		off += blas64.Dot(v, v) / (knotDimension - 4) / rows
	}
	if got := math.Sqrt(off); math.Abs(got/knotNoise-1) > 0.03 {
		t.Errorf("noise %v, want %v", got, knotNoise)
	}
	k.row(7, matrixRow(x, 0))
	newKnot(1).row(7, matrixRow(x, 1))
	if !slices.Equal(x.Data[:knotDimension], x.Data[knotDimension:]) {
		t.Error("one seed, two rows 7")
	}
	newKnot(2).row(7, matrixRow(x, 1))
	if slices.Equal(x.Data[:knotDimension], x.Data[knotDimension:]) {
		t.Error("two seeds, one row 7")
	}
	checkKnotFiles(t, k)
}

// checkKnotFiles writes rows 0..9999, and 5000..9999 to another file.
func checkKnotFiles(t *testing.T, k *knot) {
	dir := t.TempDir()
	var data []blas64.General
	for _, first := range []int64{0, 5000} {
		path := filepath.Join(dir, "rows.parquet")
		if err := k.write(t.Context(), path, first, 10000-first); err != nil {
			t.Fatal(err)
		}
		src, err := blockstore.Open(t.Context(), []string{path}, blockstore.Options{Label: "lobe", Keep: []string{"phase"}})
		if err != nil {
			t.Fatal(err)
		}
		if kept := src.Info().Kept; len(kept) != 2 || kept[0].Kind != stream.Int64 || kept[1].Kind != stream.Float64 {
			t.Errorf("kept columns %v", kept)
		}
		x, err := readColumns(t.Context(), path, "x*", "phase")
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, x)
	}
	if !slices.Equal(data[0].Data[5000*(knotDimension+1):], data[1].Data) {
		t.Error("rows depend on where a file begins")
	}
}

// TestPhaseError gives it angles that go the other way round from another zero.
func TestPhaseError(t *testing.T) {
	p := demoPoints{embedded: stream.NewMatrix(999, 3)}
	for i := range p.embedded.Rows {
		phase := 360 * float64(i) / 999
		wrong := []float64{-3, 0, 3}[i%3]
		sin, cos := math.Sincos((200 - phase + wrong) * math.Pi / 180)
		copy(p.embedded.Data[3*i:], []float64{2 * cos, 2 * sin, phase})
	}
	if got := p.phaseError(); math.Abs(got-3) > 1e-9 {
		t.Errorf("phase error %v, want 3", got)
	}
}

func TestShellLine(t *testing.T) {
	got := shellLine([]string{"fit", "a b.npy", "", "rbf(gamma=2)", "it's"})
	if want := `nystream fit 'a b.npy' '' 'rbf(gamma=2)' 'it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestColourAt(t *testing.T) {
	last := -1.0
	for i := range 101 {
		c := colourAt(float64(i) / 100)
		light := 0.2126*math.Pow(float64(c.R)/255, 2.2) + 0.7152*math.Pow(float64(c.G)/255, 2.2) + 0.0722*math.Pow(float64(c.B)/255, 2.2)
		if light <= last || c.A != 0xff {
			t.Errorf("colour %d, %v, is not lighter than the one before", i, c)
		}
		last = light
	}
}
