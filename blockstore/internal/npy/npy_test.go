package npy

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// npyFile returns an NPY file of version 1 with the given header and data.
func npyFile(header string, data []byte) string {
	return magic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header + string(data)
}

// npyText returns the text of a header.
func npyText(descr string, fortran bool, shape string) string {
	order := "False"
	if fortran {
		order = "True"
	}
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
}

// Every type is read from bytes written by hand. The matrix is [[1 0] [a b]].
func TestNPYTypes(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		descr string
		data  string
		want  [][]float64
	}{
		{"<f2", "\x00\x3c\x00\x00\x00\xc0\x01\x00", [][]float64{{1, 0}, {-2, math.Ldexp(1, -24)}}},
		{">f2", "\x3c\x00\x80\x00\x7c\x00\x7e\x00", [][]float64{{1, math.Copysign(0, -1)}, {inf, math.NaN()}}},
		{"<f2", "\x00\x3c\x00\x00\xff\x7b\x01\x04", [][]float64{{1, 0}, {65504, math.Ldexp(1025, -24)}}},
		{"<f4", "\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\x00\xc0\x01\x00\x00\x00", [][]float64{{1, 0}, {-2, math.SmallestNonzeroFloat32}}},
		{">f4", "\x3f\x80\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x7f\x80\x00\x00", [][]float64{{1, 0}, {-2, inf}}},
		{"<f8", "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc0\x01\x00\x00\x00\x00\x00\x00\x00", [][]float64{{1, 0}, {-2, 5e-324}}},
		{">f8", "\x3f\xf0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01", [][]float64{{1, 0}, {-2, 5e-324}}},
		{"|i1", "\x01\x00\xff\x80", [][]float64{{1, 0}, {-1, -128}}},
		{"|u1", "\x01\x00\xff\x80", [][]float64{{1, 0}, {255, 128}}},
		{"|b1", "\x01\x00\x01\x00", [][]float64{{1, 0}, {1, 0}}},
		{"<i2", "\x01\x00\x00\x00\xff\xff\x00\x80", [][]float64{{1, 0}, {-1, -32768}}},
		{">i2", "\x00\x01\x00\x00\xff\xff\x80\x00", [][]float64{{1, 0}, {-1, -32768}}},
		{"<u2", "\x01\x00\x00\x00\xff\xff\x00\x80", [][]float64{{1, 0}, {65535, 32768}}},
		{"<i4", "\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x80", [][]float64{{1, 0}, {-1, math.MinInt32}}},
		{">u4", "\x00\x00\x00\x01\x00\x00\x00\x00\xff\xff\xff\xff\x80\x00\x00\x00", [][]float64{{1, 0}, {math.MaxUint32, 1 << 31}}},
		{"<i8", "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x20\x00", [][]float64{{1, 0}, {-1, 1 << 53}}},
		{">u8", "\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02", [][]float64{{1, 0}, {1 << 53, 2}}},
	}
	for _, test := range tests {
		t.Run(test.descr[1:]+map[byte]string{'<': " little", '>': " big", '|': ""}[test.descr[0]], func(t *testing.T) {
			size := len(test.data) / 4
			transposed := test.data[:size] + test.data[2*size:3*size] + test.data[size:2*size] + test.data[3*size:]
			for _, fortran := range []bool{false, true} {
				data := test.data
				if fortran {
					data = transposed
				}
				tb, err := Open(context.Background(), nil, filetest.TempFile(t, "a.npy", npyFile(npyText(test.descr, fortran, "(2, 2)"), []byte(data))))
				if err != nil {
					t.Fatal(err)
				}
				src := filetest.ChooseAll(t, tb)
				rows, _, err := filetest.Slurp(src, 3)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, rows, filetest.SameBits); diff != "" {
					t.Errorf("fortran %v: %s", fortran, diff)
				}
				filetest.CheckGather(t, src)
				filetest.CheckSlots(t, tb)
			}
		})
	}
}

func TestNPYHeaders(t *testing.T) {
	good := map[string]string{
		"as numpy writes": "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }   \n",
		"another order":   "{ 'shape' : ( 2 ,1 ) ,'descr':\"<f8\",'fortran_order':False}",
		"vector":          "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
		"python 2":        "{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 1L), }",
		"native order":    "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1), }",
	}
	data := make([]byte, 16)
	binary.LittleEndian.PutUint64(data[8:], math.Float64bits(2.5))
	for name, header := range good {
		tb, err := Open(context.Background(), nil, filetest.TempFile(t, "a.npy", npyFile(header, data)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if rows, _, err := filetest.Slurp(filetest.ChooseAll(t, tb), 1); err != nil || !cmp.Equal(rows, [][]float64{{0}, {2.5}}) {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
	long := "\x00\x00\x01\x00"
	for _, version := range []string{"\x02\x00", "\x03\x00"} {
		header := npyText("<f8", false, "(2, 1)")
		file := magic + version + string(binary.LittleEndian.AppendUint32(nil, uint32(len(header)))) + header + string(data)
		if _, err := Open(context.Background(), nil, filetest.TempFile(t, "a.npy", file)); err != nil {
			t.Errorf("version %q: %v", version, err)
		}
		if _, err := Open(context.Background(), nil, filetest.TempFile(t, "a.npy", magic+version+"\x01"+long[1:]+strings.Repeat(" ", 1<<17))); err == nil {
			t.Error("a long header passed")
		}
	}
}

// A read error in the header is reported as such, not as damage.
func TestHeaderIO(t *testing.T) {
	disk := errors.New("input/output error")
	for _, file := range []string{npyFile(npyText("<f8", false, "(2, 1)"), nil), magic + "\x02\x00\x05\x00\x00\x00"} {
		for n := range len(file) {
			in := io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(disk))
			if _, err := ReadHeader(in); !errors.Is(err, disk) {
				t.Fatalf("after %d bytes: %v", n, err)
			}
		}
	}
}

func TestNPYRefuses(t *testing.T) {
	eight := make([]byte, 64)
	tests := []struct {
		name, file string
		words      []string
	}{
		{"empty", "", []string{"does not begin like"}},
		{"text", "1,2,3\n4,5,6\n7,8,9", []string{"does not begin like"}},
		{"version", magic + "\x04\x00\x00\x00\x00\x00", []string{"version 4"}},
		{"cut in the header", npyFile("{'descr': ", nil)[:12], []string{"within its header"}},
		{"cut in the length", magic + "\x02\x00\x00\x00", []string{"within its header"}},
		{"long header", magic + "\x02\x00\xff\xff\xff\xff", []string{"4294967295"}},
		{"objects", npyFile(npyText("|O", false, "(2,)"), eight), []string{"Python objects", "astype"}},
		{"strings", npyFile(npyText("<U4", false, "(2,)"), eight), []string{"<U4", "astype"}},
		{"complex", npyFile(npyText("<c16", false, "(2,)"), eight), []string{"<c16"}},
		{"longdouble", npyFile(npyText("<f16", false, "(2,)"), eight), []string{"<f16"}},
		{"dates", npyFile(npyText("<M8[ns]", false, "(2,)"), eight), []string{"<M8[ns]"}},
		{"no order", npyFile(npyText("f8", false, "(8,)"), eight), []string{"byte order"}},
		{"fields", npyFile("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (8,)}", eight), []string{"named fields"}},
		{"a number", npyFile(npyText("<f8", false, "()"), eight[:8]), []string{"reshape"}},
		{"a cube", npyFile(npyText("<f8", false, "(2, 2, 2)"), eight), []string{"3 dimensions", "reshape"}},
		{"no columns", npyFile(npyText("<f8", false, "(5, 0)"), nil), []string{"no columns"}},
		{"many columns", npyFile(npyText("|u1", false, "(0, 1000001)"), nil), []string{"transposed"}},
		{"too large", npyFile(npyText("<f8", false, "(9223372036854775807, 2)"), eight), []string{"more than a file"}},
		{"wraps around", npyFile(npyText("<f8", false, "(2305843009213693952, 1)"), nil), []string{"more than a file"}},
		{"out of range", npyFile(npyText("<f8", false, "(9223372036854775808,)"), nil), []string{"out of range"}},
		{"negative", npyFile(npyText("<f8", false, "(-1, 2)"), nil), []string{"not expected"}},
		{"short", npyFile(npyText("<f8", false, "(5, 2)"), eight), []string{"5 rows", "ends in row 4"}},
		{"short, fortran", npyFile(npyText("<f8", true, "(5, 2)"), eight), []string{"16 bytes of the 80"}},
		{"long", npyFile(npyText("<f8", false, "(3, 2)"), eight), []string{"16 bytes follow the 3 rows"}},
		{"unknown key", npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (8,), 'x': 1}", eight), []string{`"x"`}},
		{"key twice", npyFile("{'descr': '<f8', 'descr': '<f8', 'shape': (8,)}", eight), []string{"twice"}},
		{"key missing", npyFile("{'descr': '<f8', 'shape': (8,)}", eight), []string{"missing"}},
		{"not a dictionary", npyFile("('<f8', False, (8,))", eight), []string{"not expected"}},
		{"something behind", npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (8,)} + 1", eight), []string{"not expected"}},
		{"no comma", npyFile("{'descr': '<f8' 'fortran_order': False, 'shape': (8,)}", eight), []string{"not expected"}},
		{"no commas in the shape", npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (4 2)}", eight), []string{"not expected"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filetest.TempFile(t, "a.npy", test.file)
			_, err := Open(context.Background(), nil, path)
			filetest.WantError(t, err, append(test.words, path)...)
			var data *stream.DataError
			if !errors.As(err, &data) {
				t.Errorf("%T is no DataError", err)
			}
		})
	}
	_, err := Open(context.Background(), nil, t.TempDir())
	filetest.WantError(t, err, "not a regular file")
}

func TestNPYInexactInteger(t *testing.T) {
	for _, v := range []int64{1<<53 + 1, -1<<53 - 1, math.MaxInt64, math.MinInt64 + 1} {
		for _, descr := range []string{"<i8", "<u8"} {
			data := binary.LittleEndian.AppendUint64(make([]byte, 24), uint64(v))
			path := filetest.TempFile(t, "a.npy", npyFile(npyText(descr, false, "(2, 2)"), data))
			tb, err := Open(context.Background(), nil, path)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = filetest.Slurp(filetest.ChooseAll(t, tb), 2)
			filetest.WantError(t, err, path, "row 1", `"x1"`, "2^53")
			src, err := column.Choose(tb, []int{0}, []int{1})
			if err != nil {
				t.Fatal(err)
			}
			_, kept, err := filetest.Slurp(src, 2)
			if err != nil || !cmp.Equal(kept[0].Ints, []int64{0, v}) {
				t.Errorf("%d kept as %v, %v", v, kept[0].Ints, err)
			}
		}
	}
}

// bigNPY writes a matrix of distinct numbers that is longer than one buffer.
func bigNPY(t testing.TB, rows, cols int, fortran bool) string {
	data := make([]byte, 0, rows*cols*4)
	for k := range rows * cols {
		i, j := k/cols, k%cols
		if fortran {
			i, j = k%rows, k/rows
		}
		data = binary.BigEndian.AppendUint32(data, uint32(i*100+j))
	}
	return filetest.TempFile(t, "a.npy", npyFile(npyText(">u4", fortran, fmt.Sprintf("(%d, %d)", rows, cols)), data))
}

func TestNPYLongerThanBuffers(t *testing.T) {
	const rows, cols = 110_001, 13
	for _, fortran := range []bool{false, true} {
		tb, err := Open(context.Background(), nil, bigNPY(t, rows, cols, fortran))
		if err != nil {
			t.Fatal(err)
		}
		src, err := column.Choose(tb, []int{12, 0, 5}, []int{7})
		if err != nil {
			t.Fatal(err)
		}
		got, kept, err := filetest.Slurp(src, 4099)
		if err != nil || len(got) != rows {
			t.Fatal(len(got), err)
		}
		for i, row := range got {
			n := float64(i * 100)
			if row[0] != n+12 || row[1] != n || row[2] != n+5 || kept[0].Ints[i] != int64(n)+7 {
				t.Fatalf("fortran %v, row %d: %v, %d", fortran, i, row, kept[0].Ints[i])
			}
		}
	}
}

func TestNPYGather(t *testing.T) {
	for _, fortran := range []bool{false, true} {
		tb, err := Open(context.Background(), nil, bigNPY(t, 5000, 13, fortran))
		if err != nil {
			t.Fatal(err)
		}
		src, err := column.Choose(tb, []int{3, 1}, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		filetest.CheckGather(t, src)
	}
}

func TestNPYThatShrinks(t *testing.T) {
	path := bigNPY(t, 100, 2, false)
	tb, err := Open(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 500); err != nil {
		t.Fatal(err)
	}
	_, _, err = filetest.Slurp(filetest.ChooseAll(t, tb), 10)
	filetest.WantError(t, err, path, "changed", "872 bytes and has 500")
}

func TestGatherMisusePanics(t *testing.T) {
	tb, err := Open(context.Background(), nil, bigNPY(t, 10, 2, false))
	if err != nil {
		t.Fatal(err)
	}
	src := filetest.ChooseAll(t, tb)
	for _, rows := range [][]int64{{3, 3}, {4, 2}, {-1, 0}, {9, 10}, {1}} {
		func() {
			defer func() {
				if p, ok := recover().(string); !ok || !strings.HasPrefix(p, "blockstore: ") {
					t.Errorf("%v: panic %v", rows, p)
				}
			}()
			src.(stream.Gatherer).Gather(context.Background(), rows, filetest.NewBatch(src, 2))
		}()
	}
}

func TestNPYWrittenByNumPy(t *testing.T) {
	dir := t.TempDir()
	filetest.Python(t, `
import sys, os, numpy as np
a = (np.arange(12).reshape(4, 3) % 7)
for kind in ['f2','f4','f8','i1','i2','i4','i8','u1','u2','u4','u8','b1']:
    for order in '<>':
        for layout in 'CF':
            np.save(os.path.join(sys.argv[1], kind + {'<':'l','>':'b'}[order] + layout + '.npy'), np.array(a, dtype=order+kind, order=layout))
`, dir)
	files, _ := filepath.Glob(filepath.Join(dir, "*.npy"))
	if len(files) != 48 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		tb, err := Open(context.Background(), nil, file)
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := filetest.Slurp(filetest.ChooseAll(t, tb), 3)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 12 {
			want := float64(k % 7)
			if strings.HasPrefix(filepath.Base(file), "b1") {
				want = min(want, 1)
			}
			if rows[k/3][k%3] != want {
				t.Fatalf("%s: %v", file, rows)
			}
		}
	}
}

func FuzzNPY(f *testing.F) {
	f.Add([]byte(npyFile(npyText("<f8", false, "(2, 1)"), make([]byte, 16))))
	f.Add([]byte(npyFile(npyText(">i2", true, "(3, 2)"), make([]byte, 12))))
	f.Add([]byte(npyFile(npyText("|b1", false, "(3,)"), make([]byte, 3))))
	f.Add([]byte(npyFile(npyText("<u8", false, "(1, 1)"), []byte("\xff\xff\xff\xff\xff\xff\xff\xff"))))
	f.Fuzz(func(t *testing.T, file []byte) {
		if tb, err := Open(context.Background(), nil, filetest.TempFile(t, "a.npy", string(file))); err == nil {
			filetest.CheckPromise(t, tb)
		}
	})
}
