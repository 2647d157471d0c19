package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// member is an array of a test archive.
type member struct {
	name   string
	method uint16
	data   []byte
}

// pack returns a zip archive of members.
func pack(t testing.TB, members ...member) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		f, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: m.method})
		if err == nil {
			_, err = f.Write(m.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// floats returns an NPY file that counts from first.
func floats(first float64, shape ...int64) []byte {
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	out := HeaderBytes("<f8", shape...)
	for i := range n {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(first+float64(i)))
	}
	return out
}

// texts returns an NPY file of strings with the given width in characters.
func texts(width int, list ...string) []byte {
	out := HeaderBytes(fmt.Sprintf("<U%d", width), int64(len(list)))
	for _, text := range list {
		runes := make([]rune, width)
		copy(runes, []rune(text))
		for _, r := range runes {
			out = binary.LittleEndian.AppendUint32(out, uint32(r))
		}
	}
	return out
}

// opened opens an archive with the given content, and the array with the given name.
func opened(t testing.TB, content, name string) column.Table {
	t.Helper()
	tb, err := OpenArchive(context.Background(), nil, filetest.TempFile(t, "a.npz", content), name)
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

// An archive gives its matrix and the vectors with as many entries as rows, compressed or not.
func TestNPZMatrixAndVectors(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		content := pack(t, member{"X.npy", method, floats(0, 3, 2)}, member{"y.npy", method, texts(4, "äb", "", "cdef")},
			member{"w.npy", zip.Store, floats(7, 3)}, member{"other.npy", method, floats(0, 5)}, member{"notes.txt", method, []byte("hello")})
		for _, name := range []string{"", "X"} {
			tb := opened(t, content, name)
			info := tb.About()
			var names []string
			for _, c := range info.Columns {
				names = append(names, c.Name)
			}
			want, aside := []string{"x0", "x1", "w", "y"}, []int{2, 3}
			if name == "" { // what nobody has chosen is named
				want, aside = append(want, "other"), append(aside, 4)
				if c := info.Columns[len(info.Columns)-1]; c.Kind != column.Other || c.Why != "an array that does not fit the rows: 5" {
					t.Error(c)
				}
			}
			if diff := cmp.Diff(want, names); diff != "" || info.Rows != 3 || !cmp.Equal(info.NotByDefault, aside) {
				t.Fatal(diff, info.Rows, info.NotByDefault)
			}
			for _, choice := range []struct{ numeric, kept []int }{{[]int{0, 1}, nil}, {[]int{1, 2, 0}, []int{3, 0}}, {nil, []int{3, 2}}, {[]int{2}, nil}} {
				src, err := column.Choose(tb, choice.numeric, choice.kept)
				if err != nil {
					t.Fatal(err)
				}
				filetest.CheckGather(t, src)
			}
			filetest.CheckSlots(t, tb)
			src, err := column.Choose(tb, []int{1, 2, 0}, []int{3})
			if err != nil {
				t.Fatal(err)
			}
			rows, kept, err := filetest.Slurp(src, 2)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([][]float64{{1, 7, 0}, {3, 8, 2}, {5, 9, 4}}, rows); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"äb", "", "cdef"}, kept[0].Strings); diff != "" {
				t.Error(diff)
			}
		}
		vector := opened(t, content, "other")
		if rows, _, err := filetest.Slurp(filetest.ChooseAll(t, vector), 2); err != nil || len(rows) != 5 || rows[4][0] != 4 {
			t.Error(rows, err)
		}
	}
}

func TestNPZRefuses(t *testing.T) {
	object := bytes.Replace(floats(0, 3), []byte("'<f8'"), []byte("'|O' "), 1)
	two := []member{{"a.npy", 0, floats(0, 3, 2)}, {"b.npy", 8, floats(0, 3, 2)}}
	short := floats(0, 3, 2)
	whole := pack(t, two...)
	for name, test := range map[string]struct {
		content, array string
		want           []string
	}{
		"two matrices":  {whole, "", []string{"2 arrays", "`Options.Array`", "a (3 × 2), b (3 × 2)"}},
		"unknown":       {whole, "c", []string{`no array "c"`, "a (3 × 2)"}},
		"three axes":    {pack(t, member{"a.npy", 0, floats(0, 2, 2, 2)}), "", []string{"3 dimensions", "reshape"}},
		"a number":      {pack(t, member{"a.npy", 0, floats(0)}), "", []string{"single number"}},
		"objects":       {pack(t, member{"a.npy", 0, object}), "", []string{`array "a"`, "Python objects"}},
		"texts":         {pack(t, member{"a.npy", 0, texts(3, "b")}), "", []string{`array "a"`, "<U3"}},
		"twice":         {pack(t, two[0], two[0]), "a", []string{"2 arrays are called"}},
		"no arrays":     {pack(t, member{"a.txt", 0, []byte("b")}), "", []string{"without arrays", "unzip"}},
		"Excel":         {pack(t, member{"xl/workbook.xml", 8, []byte("b")}), "", []string{"Excel", "CSV"}},
		"PyTorch":       {pack(t, member{"archive/data.pkl", 0, []byte("b")}), "", []string{"PyTorch", "numpy.save"}},
		"short":         {pack(t, member{"a.npy", 0, short[:len(short)-8]}), "", []string{"ends in row 2"}},
		"short, packed": {pack(t, member{"a.npy", 8, short[:len(short)-8]}), "", []string{"ends in row 2"}},
		"cut":           {whole[:len(whole)-30], "", []string{"directory", "cut short"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := OpenArchive(context.Background(), nil, filetest.TempFile(t, "a.npz", test.content), test.array)
			filetest.WantError(t, err, test.want...)
		})
	}
}

// A flipped bit in the matrix or a vector is an error, compressed or not.
func TestNPZDamagedMember(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for _, name := range []string{"a", "y"} {
			content := []byte(pack(t, member{"a.npy", method, floats(0, 100, 3)}, member{"y.npy", method, floats(0, 100)}))
			content[bytes.Index(content, []byte(name+".npy"))+200] ^= 4
			_, err := OpenArchive(context.Background(), nil, filetest.TempFile(t, "a.npz", string(content)), "")
			filetest.WantError(t, err, "array "+name)
		}
	}
}

func openAny(ctx context.Context, files *file.Session, path string) (column.Table, error) {
	return OpenArchive(ctx, files, path, "")
}

func TestNPZMutants(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		healthy := pack(t, member{"X.npy", method, floats(0, 60, 3)}, member{"y.npy", method, floats(0, 60)})
		n := 400
		if testing.Short() {
			n = 100
		}
		filetest.CheckMutants(t, []byte(healthy), 60, n, openAny)
	}
}

func TestNPZConcurrency(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		filetest.CheckConcurrency(t, []byte(pack(t, member{"X.npy", method, floats(0, 1200, 3)}, member{"y.npy", method, floats(0, 1200)})), openAny)
	}
}

// Archives of numpy.savez and numpy.savez_compressed are read.
func TestNPZWrittenByNumPy(t *testing.T) {
	dir := t.TempDir()
	filetest.Python(t, `
import numpy as np, sys
d = sys.argv[1]
X = np.arange(12.).reshape(4, 3) / 7
y = np.array(["a", "bé", "", "日本"])
np.savez(d + "/plain.npz", X=X, y=y)
np.savez_compressed(d + "/packed.npz", X=np.asfortranarray(X.astype("f4")), y=y, k=np.arange(4, dtype=">i2"), s=np.array([b"q", b"rs", b"", b"t"]))
np.savez(d + "/one.npz", X)
np.savez(d + "/scipy.npz", X=X > 0.5, date=np.zeros(4, "M8[D]"), o=np.array([{}], dtype=object))
`, dir)
	for name, columns := range map[string]int{"plain": 4, "packed": 6, "one": 3, "scipy": 5} {
		content, err := os.ReadFile(filepath.Join(dir, name+".npz"))
		if err != nil {
			t.Fatal(err)
		}
		tb := opened(t, string(content), "")
		if got := len(tb.About().Columns); got != columns {
			t.Errorf("%s: %d columns, want %d", name, got, columns)
		}
		src := filetest.ChooseAll(t, tb)
		rows, kept, err := filetest.Slurp(src, 3)
		if err != nil || len(rows) != 4 {
			t.Fatal(name, len(rows), err)
		}
		if name == "plain" {
			if diff := cmp.Diff([]string{"a", "bé", "", "日本"}, kept[0].Strings); diff != "" || rows[3][2] != 11.0/7 {
				t.Error(diff, rows)
			}
		}
		if name == "packed" && (rows[3][2] != float64(float32(11.0/7)) || rows[3][3] != 3) {
			t.Error(rows)
		}
		filetest.CheckGather(t, src)
	}
}

func FuzzNPZ(f *testing.F) {
	f.Add([]byte(pack(f, member{"X.npy", 0, floats(0, 4, 2)}, member{"y.npy", 8, texts(2, "a", "b", "", "d")})))
	f.Add([]byte(pack(f, member{"X.npy", 8, floats(0, 4, 2)})))
	f.Add([]byte(pack(f)))
	f.Fuzz(func(t *testing.T, content []byte) {
		tb, err := openAny(context.Background(), nil, filetest.TempFile(t, "a.npz", string(content)))
		if err != nil || len(tb.About().Columns) > 1000 {
			return
		}
		filetest.CheckPromise(t, tb)
	})
}
