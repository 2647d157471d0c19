package blockstore

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// libsvm files of either index base, in any order, have the rows that the test wrote.
func TestIndexBase(t *testing.T) {
	folder := t.TempDir()
	texts := map[string]string{"zero": "1 0:5 2:6\n", "one": "1 1:5 3:6\n", "dense": "1 1:7 2:8\n", "none": "1\n", "late": "2 0:3\n1 1:7\n"}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, name+".svm"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	wide := [][]float64{{5, 0, 6}}
	tests := []struct {
		files string
		given IndexBase
		found IndexBase
		rows  [][]float64 // nil for an error
	}{
		{"zero", IndexBaseAuto, IndexBaseZero, wide},
		{"zero", IndexBaseZero, IndexBaseZero, wide},
		{"zero", IndexBaseOne, 0, nil},
		{"one", IndexBaseAuto, IndexBaseOne, wide},
		{"one", IndexBaseOne, IndexBaseOne, wide},
		{"one", IndexBaseZero, IndexBaseZero, [][]float64{{0, 5, 0, 6}}},
		{"late", IndexBaseAuto, IndexBaseZero, [][]float64{{0, 7}, {3, 0}}},
		{"none", IndexBaseAuto, IndexBaseAuto, [][]float64{{}}},
		{"none", IndexBaseZero, IndexBaseZero, [][]float64{{}}},
		{"zero none", IndexBaseAuto, IndexBaseZero, [][]float64{{5, 0, 6}, {0, 0, 0}}},
		{"none one dense", IndexBaseAuto, IndexBaseOne, [][]float64{{0, 0, 0}, {5, 0, 6}, {7, 8, 0}}},
		{"zero late", IndexBaseAuto, IndexBaseZero, [][]float64{{5, 0, 6}, {0, 7, 0}, {3, 0, 0}}},
		{"zero dense", IndexBaseZero, IndexBaseZero, [][]float64{{5, 0, 6}, {0, 7, 8}}},
		{"zero dense", IndexBaseAuto, 0, nil},
		{"one late none", IndexBaseAuto, 0, nil},
		{"zero one", IndexBaseOne, 0, nil},
	}
	for _, test := range tests {
		names := strings.Fields(test.files)
		for range names { // each file is the first one once
			names = append(names[1:], names[0])
			var paths []string
			for _, name := range names {
				paths = append(paths, filepath.Join(folder, name+".svm"))
			}
			checkIndexBase(t, paths, test.given, test.found, test.rows)
		}
	}
}

// checkIndexBase compares the rows of files in any order. A nil want expects an error that names the setting.
func checkIndexBase(t *testing.T, paths []string, given, found IndexBase, want [][]float64) {
	t.Helper()
	files, err := OpenFiles(t.Context(), paths, Options{IndexBase: given, Label: "label"})
	if want == nil {
		if filetest.WantError(t, err, "line 1", "`Options.IndexBase "); !errors.Is(err, ErrIndexBase) && !t.Failed() {
			t.Errorf("%q is no ErrIndexBase", err)
		}
		return
	}
	if err != nil {
		t.Errorf("%v, base %v: %v", paths, given, err)
		return
	}
	src, err := files.Source(Options{Label: "label", NoNumbers: true})
	if err != nil {
		t.Fatal(err)
	}
	x, err := stream.ReadAll(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for i := range x.Rows {
		rows = append(rows, matrix.Row(x, i))
	}
	slices.SortFunc(rows, slices.Compare)
	want = slices.SortedFunc(slices.Values(want), slices.Compare)
	if diff := cmp.Diff(want, rows, cmpopts.EquateEmpty()); diff != "" || files.IndexBase() != found {
		t.Errorf("%v, base %v: found %v: %s", paths, given, files.IndexBase(), diff)
	}
}
