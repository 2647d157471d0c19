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

// madeWith is a file of rows that was written together with a model, such as its factors. The
// model names it by its bytes, so that a pair is noticed that does not belong together: files
// are renamed one after the other, the model last, and a run that is killed in between leaves
// new factors beside an old model.
type madeWith struct {
	// File is the path from the folder of the model, with slashes; just the name where one is
	// an object and the other is not in the same folder of a store.
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// FilesWith returns what a model in a file says of those that writers have written. What goes
// to a pipe is not among them.
func FilesWith(ctx context.Context, writers []rows.PathWriter, model string) (list []madeWith, err error) {
	for _, w := range writers {
		rows, ok := w.Output.(blockstore.Writer)
		if !ok {
			continue // a picture or a page
		}
		d, err := rows.Digest(ctx)
		if err != nil {
			return nil, err
		}
		if d != nil {
			list = append(list, madeWith{fromModel(model, w.Path), d.Bytes, d.SHA256})
		}
	}
	return list, nil
}

// fromModel returns how a model in a file names another one.
func fromModel(model, file string) string {
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

// beside returns the path of a file that a model names.
func (w *madeWith) beside(model string) string {
	if blockstore.IsRemote(model) {
		return model[:strings.LastIndex(model, "/")+1] + w.File
	}
	return filepath.Join(filepath.Dir(model), filepath.FromSlash(w.File))
}

// check returns an error unless a model can say this.
func (w *madeWith) check() error {
	if w.File == "" || path.IsAbs(w.File) || w.Bytes < 0 || len(w.SHA256) != 64 || strings.Trim(w.SHA256, "0123456789abcdef") != "" {
		return fmt.Errorf("data.files: %q of %d bytes with the digest %q cannot have been written with it", w.File, w.Bytes, w.SHA256)
	}
	return nil
}

// Pairing is what is known of a file that was written with a model.
type Pairing struct {
	File string `json:"file"`
	// Belongs reports whether the file that has the name now is the one that was written with
	// the model; nil if none is there.
	Belongs *bool `json:"belongs"`
}

// OtherFile is the error that a file is another one than was written with the model.
func OtherFile(file, model string) error {
	return fmt.Errorf("%s is not the file that was written with %s: one of them is of another run, perhaps one that was killed in between; fit again, or rename the wrong one", file, model)
}

// same reports whether the file at path is the one that was written with the model.
func (w *madeWith) same(ctx context.Context, session *blockstore.Session, path string) (bool, error) {
	if !blockstore.IsRemote(path) {
		info, err := os.Stat(path)
		if err != nil {
			return false, err
		}
		if !info.Mode().IsRegular() {
			return false, nil
		}
	}
	if bytes, ok := session.FileSize(ctx, path); ok && bytes != w.Bytes {
		return false, nil
	}
	d, err := session.DigestOf(ctx, path)
	return err == nil && d.SHA256 == w.SHA256, err
}
