package saved

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
)

// fileRecord is a file of rows written together with a model, such as its factors. The model records a digest of it, to
// detect a mismatch: files are renamed one by one, the model last, and a run killed in between leaves new factors
// beside an old model.
type fileRecord struct {
	// File is the path relative to the folder of the model, with slashes. If one of the two is an object outside the
	// same folder of a store, it is the name alone.
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// FileRecords returns the records of written files for a model. Pipes are excluded.
func FileRecords(ctx context.Context, writers []rows.PathWriter, model string) (list []fileRecord, err error) {
	for _, w := range writers {
		rows, ok := w.Output.(blockstore.Writer)
		if !ok {
			continue // a chart or a page
		}
		d, err := rows.Digest(ctx)
		if err != nil {
			return nil, err
		}
		if d != nil {
			list = append(list, fileRecord{recordedPath(model, w.Path), d.Bytes, d.SHA256})
		}
	}
	return list, nil
}

// recordedPath returns the recorded path of a file, relative to the model.
func recordedPath(model, file string) string {
	if blockstore.IsRemote(model) || blockstore.IsRemote(file) {
		return path.Base(filepath.ToSlash(file))
	}
	from, err := filepath.Abs(filepath.Dir(model))
	to, err2 := filepath.Abs(file)
	if err == nil && err2 == nil {
		if within, err := filepath.Rel(from, to); err == nil {
			return filepath.ToSlash(within)
		}
	}
	return filepath.Base(file)
}

// path returns the path of a recorded file.
func (w *fileRecord) path(model string) string {
	if blockstore.IsRemote(model) {
		return model[:strings.LastIndex(model, "/")+1] + w.File
	}
	return filepath.Join(filepath.Dir(model), filepath.FromSlash(w.File))
}

// check fails for values that no model has.
func (w *fileRecord) check() error {
	if w.File == "" || path.IsAbs(w.File) || w.Bytes < 0 || len(w.SHA256) != 64 || strings.Trim(w.SHA256, "0123456789abcdef") != "" {
		return fmt.Errorf("data.files: %q of %d bytes with the digest %q cannot have been written with it", w.File, w.Bytes, w.SHA256)
	}
	return nil
}

// Pairing compares a file with its record in the model.
type Pairing struct {
	File string `json:"file"`
	// Belongs reports whether the file that has the name now was written with the model; nil if there is none.
	Belongs *bool `json:"belongs"`
}

// MismatchError returns the error for a file that was not written with the model.
func MismatchError(file, model string) error {
	return fmt.Errorf("%s is not the file that was written with %s: one of them is of another run, perhaps one that was killed in between; fit again, or rename the wrong one", file, model)
}

// matches reports whether the file at path was written with the model.
func (w *fileRecord) matches(ctx context.Context, session *blockstore.Session, path string) (bool, error) {
	if !blockstore.IsRemote(path) {
		info, err := os.Stat(path)
		if err != nil {
			return false, err
		}
		if !info.Mode().IsRegular() {
			return false, nil
		}
	}
	// Sizes that differ spare reading the file.
	if bytes, ok := session.FileSize(ctx, path); ok && bytes != w.Bytes {
		return false, nil
	}
	d, err := session.DigestOf(ctx, path)
	return err == nil && d.SHA256 == w.SHA256, err
}
