package blockstore

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// TestReadDigests compares the rows read from a file of every format with recorded digests. A line has the file name,
// the number of rows, and the digests of its schema, rows and kept columns. A difference is either a bug or a decision:
// -update records it, and CHANGELOG reports it.
func TestReadDigests(t *testing.T) {
	var lines []string
	for _, f := range mutantFiles(t, t.TempDir()) {
		lines = append(lines, digestLine(t, f))
	}
	slices.Sort(lines)
	place := filepath.Join("testdata", "digests.txt")
	if *update {
		if err := os.WriteFile(place, []byte(strings.Join(lines, "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	recorded, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Collect(strings.Lines(string(recorded)))
	for _, line := range lines {
		if !slices.Contains(known, line) {
			t.Errorf("not recorded: %s", line)
		}
	}
	if len(lines) != len(known) {
		t.Errorf("%d files, %d are recorded", len(lines), len(known))
	}
}

// digestLine reads a file and returns its line.
func digestLine(t *testing.T, f mutantFile) string {
	files, err := OpenFiles(t.Context(), []string{f.path}, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	src, err := everything(files)
	if err != nil {
		t.Fatal(err)
	}
	b := filetest.MustRead(t, src, 50)
	type info struct { // as recorded
		name, kind      string
		width           int
		meaning, reason string
		folder          bool
	}
	columns, rows := files.Columns()
	var infos []info
	for _, c := range columns {
		infos = append(infos, info{c.Name, c.Kind, c.Width, c.Meaning, c.Reason, c.Folder})
	}
	schema := fmt.Appendf(nil, "%v %d", infos, rows)
	values := bits(nil, b.X.Data)
	type field struct { // as recorded
		name string
		kind stream.ColumnKind
	}
	var fields []field
	for _, f := range src.Info().Kept {
		fields = append(fields, field{f.Name, f.Kind})
	}
	kept := fmt.Appendf(nil, "%v", fields)
	for _, c := range b.Kept {
		kept = bits(fmt.Appendf(kept, "%q %d %t", c.Strings, c.Ints, c.Valid), c.Floats)
	}
	line := fmt.Sprintf("%s %d", f.name, b.X.Rows)
	for _, part := range [][]byte{schema, values, kept} {
		line += fmt.Sprintf(" %x", sha256.Sum256(part))[:17]
	}
	return line + "\n"
}

// bits appends the bits of values; all NaNs have the same bits.
func bits(p []byte, values []float64) []byte {
	for _, v := range values {
		if v != v {
			v = math.NaN()
		}
		p = binary.LittleEndian.AppendUint64(p, math.Float64bits(v))
	}
	return p
}
