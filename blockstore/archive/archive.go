// Package archive stores models in files: a JSON description and named numeric arrays.
//
// A file is an .npz file, that is a zip archive (APPNOTE 6.3.10, PKWARE 2022) of meta.json and one
// uncompressed .npy file per array, which numpy.load opens. The comment at the end of the zip
// archive is
//
//	nystream archive 1 sha256 <64 hexadecimal digits>
//
// where 1 is the version of the container and the digits are the SHA-256 of all preceding bytes of
// the file. Equal archives are equal byte for byte.
package archive

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/nystream/nystream/blockstore/array"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/npy"
)

// Archive is the content of a model file: a JSON description and named arrays.
type Archive struct {
	// Meta is a JSON document.
	Meta []byte
	// Arrays are the arrays in the order of the file. Names are unique.
	Arrays []array.Array
}

const (
	metaName    = "meta.json"
	sealMarker  = "nystream archive "
	sealPrefix  = sealMarker + "1 sha256 " // followed by the digest
	arraySuffix = ".npy"
)

// memberTime is the modification time of all members.
var memberTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes a to path. It is atomic: the file appears complete or not at all.
func Write(path string, a *Archive) error {
	f, err := Stage(path, a)
	if err != nil {
		return err
	}
	return f.Commit()
}

// Session is a [github.com/nystream/nystream/blockstore.Session.Internal] in which files are read
// and written; nil means a session for a single call.
type Session = file.Session

// Staged is a complete file on disk without its final name. Commit renames it, and Abort removes
// it; Abort after Commit is a no-op.
type Staged = file.Temp

// Stage writes a to a file that Commit will rename to path.
func Stage(path string, a *Archive) (*Staged, error) { return StageIn(nil, path, a) }

// StageIn is [Stage] within a session.
func StageIn(files *Session, path string, a *Archive) (*Staged, error) {
	if !json.Valid(a.Meta) {
		return nil, fault.Output(path, "the description is not JSON").WithRemedy("write it as JSON")
	}
	f, err := files.Create(path)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(f, file.BufferSize)
	if err = writeZip(out, a); err == nil {
		if err = out.Flush(); err == nil {
			err = f.Finish()
		}
	}
	if err != nil {
		f.Abort()
		return nil, err
	}
	return f, nil
}

// writeZip writes the whole archive to out.
func writeZip(out io.Writer, a *Archive) error {
	sealed := newSealWriter(out)
	z := zip.NewWriter(sealed)
	meta, err := newMember(z, metaName)
	if err != nil {
		return err
	}
	if _, err := meta.Write(a.Meta); err != nil {
		return err
	}
	for _, array := range a.Arrays {
		if err := writeArray(z, array); err != nil {
			return err
		}
	}
	if err := z.SetComment(sealPrefix + strings.Repeat("0", sealDigits)); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return sealed.seal()
}

// newMember starts a file in the archive.
func newMember(z *zip.Writer, name string) (io.Writer, error) {
	return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: memberTime})
}

// writeArray writes one array as an .npy file in the archive.
func writeArray(z *zip.Writer, a array.Array) error {
	mustBeConsistent(a)
	w, err := newMember(z, a.Name+arraySuffix)
	if err != nil {
		return err
	}
	shape := make([]int64, len(a.Shape))
	for i, n := range a.Shape {
		shape[i] = int64(n)
	}
	descr := "<f8"
	if a.Ints != nil {
		descr = "<i8"
	}
	out := bufio.NewWriter(w)
	out.Write(npy.HeaderBytes(descr, shape...)) // errors are sticky and show in Flush
	var p [8]byte
	for i := range a.Size() {
		binary.LittleEndian.PutUint64(p[:], bits(a, i))
		out.Write(p[:])
	}
	return out.Flush()
}

// bits returns the stored form of value i.
func bits(a array.Array, i int) uint64 {
	if a.Ints != nil {
		return uint64(a.Ints[i])
	}
	return math.Float64bits(a.Floats[i])
}

// mustBeConsistent panics if the array is inconsistent.
func mustBeConsistent(a array.Array) {
	if !a.Sound() {
		panic(fmt.Sprintf("archive: array %q of shape %v with %d floats and %d ints", a.Name, a.Shape, len(a.Floats), len(a.Ints)))
	}
}
