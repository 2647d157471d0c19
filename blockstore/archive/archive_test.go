package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/blockstore/internal/npy"
	"github.com/nystream/nystream/stream"
)

// smallArchive holds one array of each sort.
func smallArchive() *Archive {
	return &Archive{Meta: []byte(`{"kernel":"rbf(sigma2=0.2)"}`), Arrays: []array.Array{
		{Name: "U", Shape: []int{2, 2}, Floats: []float64{1, 2, 3, math.Inf(-1)}},
		{Name: "values", Shape: []int{3}, Floats: []float64{5e-324, math.Copysign(0, -1), math.NaN()}},
		{Name: "rows", Shape: []int{2}, Ints: []int64{math.MinInt64, 1<<53 + 1}},
	}}
}

// writeFile writes a to a new file and returns its path and bytes.
func writeFile(t testing.TB, a *Archive) (path string, file []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "m.npz")
	if err := Write(path, a); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, file
}

func TestArchiveRoundTrip(t *testing.T) {
	a := smallArchive()
	a.Arrays = append(a.Arrays, array.Array{Name: "empty", Shape: []int{3, 0}}, array.Array{Name: "none", Shape: []int{0}},
		array.Array{Name: "nobody", Shape: []int{0}, Ints: []int64{}})
	path, file := writeFile(t, a)
	got, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, got, filetest.SameBits, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if _, again := writeFile(t, got); !bytes.Equal(file, again) {
		t.Error("the same archive gave other bytes")
	}
	for i, of := range got.Arrays {
		if (of.Ints == nil) != (a.Arrays[i].Ints == nil) {
			t.Errorf("%s is of another type", of.Name)
		}
	}
}

// numpy.load must open a model without us.
func TestArchiveOpensInNumPy(t *testing.T) {
	path, _ := writeFile(t, smallArchive())
	out := filetest.Python(t, `
import sys, json, zipfile, numpy as np
z = np.load(sys.argv[1])
print(sorted(z.files))
print(z['U'].tolist(), z['U'].dtype, z['values'].tolist(), z['rows'].tolist(), z['rows'].dtype)
print(json.loads(zipfile.ZipFile(sys.argv[1]).read('meta.json'))['kernel'], zipfile.ZipFile(sys.argv[1]).testzip())
`, path)
	want := "['U', 'meta.json', 'rows', 'values']\n" +
		"[[1.0, 2.0], [3.0, -inf]] float64 [5e-324, -0.0, nan] [-9223372036854775808, 9007199254740993] int64\n" +
		"rbf(sigma2=0.2) None\n"
	if out != want {
		t.Errorf("NumPy says\n%swant\n%s", out, want)
	}
}

// readBytes reads an archive of these bytes.
func readBytes(file []byte) error {
	_, err := read(bytes.NewReader(file), int64(len(file)))
	return err
}

func TestArchiveEveryBitCounts(t *testing.T) {
	_, file := writeFile(t, smallArchive())
	for i := range file {
		for bit := range 8 {
			file[i] ^= 1 << bit
			if readBytes(file) == nil {
				t.Errorf("bit %d of byte %d can change unseen", bit, i)
			}
			file[i] ^= 1 << bit
		}
	}
	if err := readBytes(file); err != nil {
		t.Fatal(err)
	}
}

func TestArchiveEveryCutCounts(t *testing.T) {
	_, file := writeFile(t, smallArchive())
	for n := range file {
		if readBytes(file[:n]) == nil {
			t.Errorf("a file of %d bytes of %d passes", n, len(file))
		}
		if readBytes(file[n+1:]) == nil {
			t.Errorf("a file without its first %d bytes passes", n+1)
		}
	}
	if readBytes(append(file, 0)) == nil {
		t.Error("a file with a byte more passes")
	}
}

func TestArchiveMessages(t *testing.T) {
	path, file := writeFile(t, smallArchive())
	filetest.WantError(t, readBytes([]byte("hello")), "not a Nystream model")
	filetest.WantError(t, readBytes(nil), "not a Nystream model")
	filetest.WantError(t, readBytes(file[:len(file)/2]), "cut short")
	filetest.WantError(t, readBytes(bytes.Replace(file, []byte(sealPrefix), []byte(sealMarker+"2 sha256 "), 1)), "newer version")
	filetest.WantError(t, Write(path, &Archive{Meta: []byte("{")}), path, "JSON")
	file[100] ^= 1
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Read(path)
	filetest.WantError(t, err, path, "damaged")
	var data *stream.DataError
	if !errors.As(err, &data) {
		t.Errorf("%T is no DataError", err)
	}
	_, err = Read(t.TempDir())
	filetest.WantError(t, err, "not a regular file")
}

// sealedZip makes a zip archive with a correct seal of whatever members, whose
// comments are their contents.
func sealedZip(t testing.TB, members ...*zip.FileHeader) []byte {
	t.Helper()
	var out bytes.Buffer
	seal := newSealWriter(&out)
	z := zip.NewWriter(seal)
	for _, m := range members {
		content := m.Comment
		m.Comment = ""
		w, err := z.CreateRaw(m)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(content))
	}
	z.SetComment(sealPrefix + strings.Repeat("0", sealDigits))
	z.Close()
	seal.seal()
	return out.Bytes()
}

// A file may be hostile and have a correct digest.
func TestArchiveHostile(t *testing.T) {
	member := func(name, content string, size int) *zip.FileHeader {
		return &zip.FileHeader{Name: name, Comment: content, CRC32: crc32.ChecksumIEEE([]byte(content)), UncompressedSize64: uint64(size), CompressedSize64: uint64(size)}
	}
	huge := string(npy.HeaderBytes("<f8", 1<<40, 1<<10))
	hollow := string(npy.HeaderBytes("<f8", 1, 1<<61))
	tests := map[string][]*zip.FileHeader{
		"larger than the file":  {member("a.npy", "", 1<<40)},
		"ends in row 0":         {member("a.npy", huge, len(huge))},
		"more than a file":      {member("a.npy", hollow, len(hollow))},
		"appears twice":         {member("meta.json", "{}", 2), member("meta.json", "{}", 2)},
		"neither meta.json nor": {member("b.txt", "", 0)},
		"meta.json is missing":  {},
		"compressed":            {{Name: "a.npy", Method: zip.Deflate, UncompressedSize64: 1 << 30, CompressedSize64: 5}},
		"not a float64":         {member("a.npy", string(npy.HeaderBytes("<f4", 0)), len(npy.HeaderBytes("<f4", 0)))},
	}
	for words, members := range tests {
		t.Run(words, func(t *testing.T) {
			err := readBytes(sealedZip(t, members...))
			filetest.WantError(t, err, words)
		})
	}
}

func FuzzArchive(f *testing.F) {
	_, file := writeFile(f, smallArchive())
	f.Add(file[:len(file)-sealDigits])
	f.Fuzz(func(t *testing.T, file []byte) {
		var out bytes.Buffer
		seal := newSealWriter(&out)
		seal.Write(file)
		seal.Write(make([]byte, sealDigits))
		seal.seal() // else nothing gets past the digest
		a, err := read(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			return
		}
		for _, v := range a.Arrays {
			mustBeConsistent(v)
		}
	})
}

func ExampleWrite() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.npz")

	a := &Archive{Meta: []byte(`{"method":"landmark"}`), Arrays: []array.Array{{Name: "values", Shape: []int{3}, Floats: []float64{3, 2, 1}}}}
	if err := Write(path, a); err != nil {
		panic(err)
	}
	b, err := Read(path)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(b.Meta), b.Arrays[0].Name, b.Arrays[0].Floats)
	// Output: {"method":"landmark"} values [3 2 1]
}
