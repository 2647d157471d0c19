package blockstore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// A pipe gets the bytes of the file, whether the number of rows is known or not.
func TestPipesGetTheBytesOfFiles(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	b := filetest.SampleBatch(5000, 3)
	b.X.Data[2] = -1 // was infinite, which JSON does not have
	for _, format := range PipeFormats() {
		s := schemaOf(filetest.SampleInfo)
		s.Format = format
		rows := &stream.Batch{X: b.X}
		switch format {
		case "npy":
			s.Kept = nil
		case "libsvm":
			s.Kept, rows.Kept = s.Kept[:1], b.Kept[:1]
		default:
			rows.Kept = b.Kept
		}
		path := filepath.Join(t.TempDir(), "x")
		for _, s.Rows = range []int64{5000, -1} {
			if format == "npy" && s.Rows < 0 {
				continue // its header has the number of rows
			}
			var piped bytes.Buffer
			file, err := Create(path, s)
			if err != nil {
				t.Fatal(err)
			}
			pipe, err := NewWriter(&piped, "a pipe", s)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []Writer{file, pipe} {
				for at := 0; at < 5000; at += 1250 {
					part := filetest.BatchPart(rows, at, 1250)
					if err := w.Write(part, 1250); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Commit(); err != nil {
					t.Fatal(err)
				}
				w.Abort()
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(piped.Bytes(), want) {
				t.Errorf("%s, %d rows announced: %d bytes through the pipe, %d in the file", format, s.Rows, piped.Len(), len(want))
			}
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// errFull is the error of a fullPipe.
var errFull = errors.New("nobody reads")

// fullPipe is a writer that accepts a number of bytes and then fails.
type fullPipe int

func (p *fullPipe) Write(b []byte) (int, error) {
	n := min(len(b), int(*p))
	*p -= fullPipe(n)
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// Output to a pipe is compressed like a file.
func TestPipesAreCompressed(t *testing.T) {
	b := &stream.Batch{X: stream.NewMatrix(1000, 2)}
	for _, compression := range Compressions("parquet") {
		s := Schema{Columns: []string{"a", "b"}, Rows: 1000, Format: "parquet", Compression: compression}
		var piped bytes.Buffer
		pipe, err := NewWriter(&piped, "a pipe", s)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "x.parquet")
		file, err := Create(path, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []Writer{file, pipe} {
			if err := errors.Join(w.Write(b, 1000), w.Commit()); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(want, piped.Bytes()) {
			t.Errorf("%s: %d bytes through the pipe, %d in the file, %v", compression, piped.Len(), len(want), err)
		}
	}
	_, err := NewWriter(&bytes.Buffer{}, "the pipe", Schema{Columns: []string{"a"}, Format: "csv", Compression: "zstd"})
	filetest.WantError(t, err, "the pipe", "zstd")
}

// An error of a pipe is returned with the name of the pipe, wherever it occurs.
func TestPipesThatEnd(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	b := filetest.SampleBatch(5000, 3)
	b.X.Data[2] = -1 // was infinite, which JSON does not have
	for _, format := range PipeFormats() {
		for _, rows := range []int64{5000, -1} {
			for _, takes := range []fullPipe{0, 100, 40_000} {
				s := Schema{Columns: filetest.SampleInfo.Columns, Rows: rows, Format: format}
				w, err := NewWriter(&takes, "the pipe", s)
				if err == nil {
					err = w.Write(&stream.Batch{X: b.X}, 5000)
				}
				if err == nil {
					err = w.Commit()
				}
				if w != nil {
					w.Abort()
				}
				if known := format != "npy" || rows >= 0; known != errors.Is(err, errFull) {
					t.Errorf("%s: %v", format, err)
				}
				filetest.WantError(t, err, "cannot write the pipe")
			}
		}
	}
}

// Formats that need to seek, and unknown ones, are refused for pipes.
func TestPipesRefuse(t *testing.T) {
	s := Schema{Columns: []string{"a"}, Rows: 2}
	for _, format := range append(OutputFormats(), "", "xls") {
		s.Format = format
		_, err := NewWriter(&bytes.Buffer{}, "the pipe", s)
		if slices.Contains(PipeFormats(), format) != (err == nil) {
			t.Errorf("%q: %v", format, err)
		}
	}
	s.Format = "csv"
	w, err := NewWriter(&bytes.Buffer{}, "the pipe", s)
	if err != nil {
		t.Fatal(err)
	}
	filetest.WantError(t, w.Commit(), "the pipe", "0 rows came, 2 were announced")
}
