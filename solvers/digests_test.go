package solvers_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var updateDigests = flag.Bool("update", false, "write testdata/digests.txt of this machine's arithmetic paths")

// digestPlace is the path of the recorded digests. A line holds the processor, the arithmetic path, the digests of the
// header, arrays and outputs of a model, and the name of its fit.
var digestPlace = filepath.Join("testdata", "digests.txt")

// TestDigests: the models of all methods and their outputs have the recorded bytes, on every arithmetic path. To change
// them is a decision: -update records it, and the CHANGELOG reports it.
func TestDigests(t *testing.T) {
	text, err := os.ReadFile(digestPlace)
	if err != nil {
		t.Fatal(err)
	}
	recorded := strings.Split(strings.TrimSpace(string(text)), "\n")
	var lines []string
	for _, path := range simd.Available() {
		prefix := fmt.Sprintf("%s %v ", runtime.GOARCH, path)
		known := func(line string) bool { return strings.HasPrefix(line, prefix) }
		t.Run(path.String(), func(t *testing.T) {
			if testing.Short() && path != simd.Active() {
				t.Skip("short: the arithmetic path in use alone")
			}
			if !*updateDigests && !slices.ContainsFunc(recorded, known) {
				t.Skipf("no digests are recorded of %s", prefix)
			}
			defer simd.Use(path)()
			found := digestLines(t, prefix)
			if *updateDigests {
				recorded = slices.DeleteFunc(recorded, known)
				lines = append(lines, found...)
				return
			}
			for _, line := range found {
				if !slices.Contains(recorded, line) {
					t.Errorf("not recorded: %s", line)
				}
			}
		})
	}
	if *updateDigests {
		all := strings.Join(append(recorded, lines...), "\n") + "\n"
		if err := os.WriteFile(digestPlace, []byte(strings.TrimLeft(all, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// digestLines fits every method and returns the lines of digestPlace.
func digestLines(t *testing.T, prefix string) (lines []string) {
	kernel := kernelgen.RBF(0.7)
	for _, f := range families {
		for _, r := range f.rows {
			if r.has(fresh) {
				continue
			}
			left := unloaded{stream.FromMatrix("left", normalRows(1, 39))}
			right := unloaded{stream.FromMatrix("right", normalRows(2, 39))}
			m := modelOf(f.mustFit(t, stream.Engine{Threads: 2, BlockRows: 64}, r, kernel, left, right))
			a := must(m.Save())(t)
			lines = append(lines, fmt.Sprintf("%s%s %s %s %s", prefix, digest(func(w io.Writer) { w.Write(a.Header) }),
				digest(func(w io.Writer) { writeArrays(w, a) }), digest(func(w io.Writer) { writeOutputs(t, w, stream.Engine{Threads: 2}, m) }), r.name))
		}
	}
	return lines
}

// digest returns the first eight bytes of the SHA-256 of the bytes that write produces.
func digest(write func(w io.Writer)) string {
	var b bytes.Buffer
	write(&b)
	return fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))[:16]
}

// writeArrays writes the arrays of an archive in order.
func writeArrays(w io.Writer, a *model.Archive) {
	for _, array := range a.Arrays {
		fmt.Fprintf(w, "%s %d", array.Name, array.Shape)
		binary.Write(w, binary.LittleEndian, array.Floats)
		binary.Write(w, binary.LittleEndian, array.Ints)
	}
}

// writeOutputs writes the outputs of a model for new rows of both sides.
func writeOutputs(t *testing.T, w io.Writer, e stream.Engine, m model.Transformer) {
	x := normalRows(3, 39)
	for _, side := range []model.Side{model.Left, model.Right} {
		if _, err := m.Outputs(side, model.Coordinates); err != nil || m.Dimension(side) != x.Cols {
			continue
		}
		out, err := model.TransformMatrix(t.Context(), e, m, x, model.Request{Side: side})
		if err != nil {
			fmt.Fprint(w, err)
			continue
		}
		for i := range out.Rows {
			for _, v := range matrix.Row(out, i) {
				binary.Write(w, binary.LittleEndian, math.Float64bits(v))
			}
		}
	}
}
