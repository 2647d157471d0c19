package blockstore

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// npyFile returns an NPY file with the given header and number of data bytes.
func npyFile(header string, data int) string {
	header += "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header + strings.Repeat("\x00", data)
}

// zipped returns a zip archive with a matrix under each of the names.
func zipped(t *testing.T, names ...string) string {
	var members []string
	for _, name := range names {
		members = append(members, name, npyFile("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }", 16))
	}
	return zippedText(t, "", "", zip.Deflate, members...)
}

// zippedText returns a zip archive of a compressed file and others, given as pairs of name and content.
func zippedText(t *testing.T, name, content string, method uint16, more ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for members := append([]string{name, content}, more...); len(members) > 0; members = members[2:] {
		if members[0] == "" {
			continue
		}
		f, err := w.CreateHeader(&zip.FileHeader{Name: members[0], Method: method})
		if err == nil {
			_, err = f.Write([]byte(members[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// directory returns the offset of the central directory of a zip archive (APPNOTE 4.3.12).
func directory(archive string) int { return strings.Index(archive, "PK\x01\x02") }

// flagged returns a copy of a zip archive whose first file is marked as encrypted.
func flagged(archive string) string {
	b := []byte(archive)
	b[directory(archive)+8] |= 1
	return string(b)
}

// stretched returns a copy of a zip archive whose first file claims to be larger than the archive.
func stretched(archive string) string {
	b := []byte(archive)
	for _, at := range []int{20, 24} {
		binary.LittleEndian.PutUint32(b[directory(archive)+at:], 1<<20)
	}
	return string(b)
}

// badNPY returns NPY and NPZ files that cannot be read.
func badNPY(t *testing.T) []badFile {
	header := func(descr, shape string) string {
		return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }"
	}
	return []badFile{
		{name: "a.npy", what: "empty"},
		{name: "a.npy", what: "ends within its header", content: "\x93NUMPY\x01\x00\xff"},
		{name: "a.npy", what: "an unknown version", content: "\x93NUMPY\x09\x00\x10\x00\x00\x00"},
		{name: "a.npy", what: "objects in an array", content: npyFile(header("'|O'", "(2, 1)"), 16)},
		{name: "a.npy", what: "an array of named fields", content: npyFile(header("[('a', '<f8')]", "(2,)"), 16)},
		{name: "a.npy", what: "an unknown type", content: npyFile(header("'<c16'", "(2, 1)"), 32)},
		{name: "a.npy", what: "no type", content: npyFile("{'fortran_order': False, 'shape': (2, 1), }", 16)},
		{name: "a.npy", what: "too short an array", content: npyFile(header("'<f8'", "(9, 2)"), 32)},
		{name: "a.npy", what: "too long an array", content: npyFile(header("'<f8'", "(1, 2)"), 99)},
		{name: "a.npy", what: "three dimensions", content: npyFile(header("'<f8'", "(2, 2, 2)"), 64)},
		{name: "a.npy", what: "no dimension", content: npyFile(header("'<f8'", "()"), 8)},
		{name: "a.npy", what: "an array without columns", content: npyFile(header("'<f8'", "(2, 0)"), 0)},
		{name: "a.npy", what: "more than a file can hold", content: npyFile(header("'<f8'", "(99999999999999999, 99999)"), 0)},
		{name: "a.npy", what: "a negative dimension", content: npyFile(header("'<f8'", "(-1, 2)"), 0)},
		{name: "a.npy", what: "a header that is no dictionary", content: npyFile("hello", 0)},
		{name: "a.npy", what: "ends within a long header", content: "\x93NUMPY\x02\x00\x10\x00\x00\x00{"},
		{name: "a.npy", what: "a header of too many bytes", content: "\x93NUMPY\x02\x00\xff\xff\xff\x00{"},
		{name: "a.npy", what: "an entry twice", content: npyFile("{'descr': '<f8', 'descr': '<f8', }", 16)},
		{name: "a.npy", what: "an unknown entry", content: npyFile("{'colour': 'red', }", 16)},
		{name: "a.npy", what: "a dimension beyond 64 bits", content: npyFile(header("'<f8'", "(99999999999999999999, 2)"), 16)},
		{name: "a.npy", what: "more columns than can be read", content: npyFile(header("'<f8'", "(1, 1000001)"), 16)},
		{name: "a.npy", what: "too short an array, by columns", content: npyFile("{'descr': '<f8', 'fortran_order': True, 'shape': (9, 2), }", 32)},
		{name: "a.npy", what: "a type of one letter", content: npyFile(header("'f'", "(2, 1)"), 16)},
		{name: "a.npy", what: "a type without an order of bytes", content: npyFile(header("'ff8'", "(2, 1)"), 16)},
		{name: "a.npy", what: "an integer beyond 2^53", content: npyFile(header("'<u8'", "(1, 2)"), 0) + strings.Repeat("\xff", 16)},
		{name: "a.npz", what: "an encrypted array", content: flagged(zipped(t, "x.npy"))},
		{name: "a.npz", what: "two arrays of a name", content: zipped(t, "x.npy", "x.npy"), Options: Options{Array: "x"}},
		{name: "a.npz", what: "an array that is none", content: zippedText(t, "x.npy", "hello", zip.Store)},
		{name: "a.npz", what: "an array that is too short", content: zippedText(t, "x.npy", npyFile(header("'<f8'", "(9, 1)"), 16), zip.Deflate)},
		{name: "a.npz", what: "text that is no UTF-8", content: zippedText(t, "x.npy", npyFile(header("'<f8'", "(2,)"), 16), zip.Store, "y.npy", npyFile(header("'|S1'", "(2,)"), 0)+"\xff\xff"), Options: Options{Array: "x", Keep: []string{"y"}}},
		{name: "a.npz", what: "text of what are no characters", content: zippedText(t, "x.npy", npyFile(header("'<f8'", "(2,)"), 16), zip.Store, "y.npy", npyFile(header("'<U1'", "(2,)"), 0)+strings.Repeat("\xff", 8)), Options: Options{Array: "x", Keep: []string{"y"}}},
		{name: "a.npz", what: "an array beyond the end of the file", content: stretched(zippedText(t, "x.npy", npyFile(header("'<f8'", "(2,)"), 16), zip.Store))},
		{name: "a.npz", what: "a flipped bit", content: strings.Replace(zippedText(t, "x.npy", npyFile(header("'<f8'", "(2,)"), 16), zip.Store), "\x00\x00\x00\x00PK", "\x00\x00\x04\x00PK", 1)},
		{name: "a.npz", what: "too few bytes", content: "PK\x03\x04"},
		{name: "a.npz", what: "ends early", content: zipped(t, "x.npy")[:120]},
		{name: "a.npz", what: "no array", content: zipped(t, "x.txt")},
		{name: "a.npz", what: "an unknown array", content: zipped(t, "x.npy", "y.npy"), Options: Options{Array: "z"}},
		{name: "a.npz", what: "two arrays", content: zipped(t, "x.npy", "y.npy")},
		{name: "a.npz", what: "a sparse matrix of SciPy", content: zipped(t, "data.npy", "format.npy", "indices.npy", "indptr.npy", "shape.npy")},
		{name: "a.npy", what: "an array named in one", content: npyFile(header("'<f8'", "(2, 1)"), 16), Options: Options{Array: "z"}},
	}
}
