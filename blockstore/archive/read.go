package archive

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/npy"
	"github.com/nystream/nystream/stream"
)

// Read reads a file written by Write. It verifies the digest of the whole file before it uses any
// byte, so that it detects all damage, and never allocates more than the size of the file.
func Read(path string) (*Archive, error) { return ReadIn(nil, path) }

// ReadIn is [Read] within a session.
func ReadIn(files *Session, path string) (*Archive, error) {
	path, err := file.Plain(path)
	if err != nil {
		return nil, err
	}
	f, stamp, err := files.Open(files.Context(), path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := ReadAt(f, stamp.Size)
	if err != nil {
		err = fault.File(path, "%w", err)
	}
	if err = stamp.CheckUnchanged(f, err); err != nil {
		return nil, err
	}
	return a, nil
}

// ReadAt reads an archive of the given size in bytes, for example from memory. The error for damage
// is a [stream.DataError] without a path.
func ReadAt(f io.ReaderAt, size int64) (a *Archive, err error) {
	err = fault.Guard("reading the model", func() error {
		a, err = read(f, size)
		return err
	})
	return a, err
}

// read reads an archive of the given size.
func read(f io.ReaderAt, size int64) (*Archive, error) {
	if err := checkSeal(f, size); err != nil {
		return nil, err
	}
	a, err := readZip(f, size)
	if err != nil {
		return nil, fault.New("the model cannot be read: %w", err).WithKind(stream.Damaged).WithRemedy("restore it or fit the model again")
	}
	return a, nil
}

// readZip reads the members of an archive.
func readZip(f io.ReaderAt, size int64) (*Archive, error) {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return nil, err
	}
	a := &Archive{}
	seen := map[string]bool{}
	left := uint64(size) // members cannot exceed the file together
	for _, member := range z.File {
		switch {
		case seen[member.Name]:
			err = errors.New("it appears twice")
		case member.Method != zip.Store || member.UncompressedSize64 != member.CompressedSize64:
			err = errors.New("it is compressed")
		case member.UncompressedSize64 > left:
			err = errors.New("it is larger than the file")
		default:
			left -= member.UncompressedSize64
			err = a.readMember(member)
		}
		if err != nil {
			return nil, fault.New("member %q: %w", member.Name, err)
		}
		seen[member.Name] = true
	}
	if !json.Valid(a.Meta) {
		return nil, errors.New("meta.json is missing or is not JSON")
	}
	return a, nil
}

// readMember adds one member to the archive.
func (a *Archive) readMember(member *zip.File) error {
	r, err := member.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if member.Name == metaName {
		a.Meta, err = io.ReadAll(r)
		return err
	}
	name, ok := strings.CutSuffix(member.Name, arraySuffix)
	if !ok {
		return errors.New("it is neither meta.json nor an array")
	}
	v, err := readArray(bufio.NewReader(r), int64(member.UncompressedSize64))
	v.Name = name
	a.Arrays = append(a.Arrays, v)
	return err
}

// readArray reads an .npy file of the given size: a float64 vector or matrix, or an int64 vector.
func readArray(r io.Reader, size int64) (a array.Array, err error) {
	head, err := npy.ReadHeader(r)
	if err != nil {
		return a, err
	}
	if !archivable(head) {
		return a, errors.New("it is not a float64 vector or matrix, nor an int64 vector")
	}
	if err := head.CheckSize(size); err != nil {
		return a, err
	}
	for _, n := range head.Shape {
		a.Shape = append(a.Shape, int(n))
	}
	if err := readValues(&a, r, head.PlainKind()); err != nil {
		return a, err
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || err != io.EOF { // at the end zip verifies the checksum
		return a, fault.New("it does not end where it should: %w", err)
	}
	return a, nil
}

// archivable reports whether an archive may hold an array with this header.
func archivable(head npy.Header) bool {
	switch head.PlainKind() {
	case 'f':
		return len(head.Shape) == 1 || len(head.Shape) == 2
	case 'i':
		return len(head.Shape) == 1
	}
	return false
}

// readValues reads the values. The caller has checked that the file is long enough.
func readValues(a *array.Array, r io.Reader, kind byte) error {
	if kind == 'i' {
		a.Ints = make([]int64, a.Size())
	} else {
		a.Floats = make([]float64, a.Size())
	}
	var p [8]byte
	for i := range a.Size() {
		if _, err := io.ReadFull(r, p[:]); err != nil {
			return err
		}
		setBits(a, i, binary.LittleEndian.Uint64(p[:]))
	}
	return nil
}

// setBits sets value i from its stored form.
func setBits(a *array.Array, i int, bits uint64) {
	if a.Ints != nil {
		a.Ints[i] = int64(bits)
		return
	}
	a.Floats[i] = math.Float64frombits(bits)
}
