package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/stream"
)

// checkIndexBase refuses libsvm files of the two sides whose indices seem to start at different numbers.
func (s *sides) checkIndexBase() error {
	l, r := s.left, s.right
	if r == nil || l.base == r.base || l.base == blockstore.IndexBaseAuto || r.base == blockstore.IndexBaseAuto {
		return nil
	}
	return stream.NewDataError(r.Info().Name, "its indices start at %v, those of %s at %v", r.base, l.Info().Name, l.base).
		Do("set --index-base 0 or 1, the first index of all files")
}

// indexBase returns the first index of the libsvm files of a fit, nil if there is none.
func (s *sides) indexBase() *int {
	for _, in := range []*input{s.left, s.right} {
		if in != nil && in.base != blockstore.IndexBaseAuto {
			return firstIndex(in.base)
		}
	}
	return nil
}

// firstIndex returns the first index that a base stands for, nil for auto.
func firstIndex(base blockstore.IndexBase) *int {
	if base == blockstore.IndexBaseAuto {
		return nil
	}
	first := int(base - blockstore.IndexBaseZero)
	return &first
}

// checkIndexBase fails unless an index base is 0 or 1.
func (d *rowsData) checkIndexBase() error {
	if b := d.IndexBase; b != nil && *b != 0 && *b != 1 {
		return fmt.Errorf("meta.json: data.index_base: %d is neither 0 nor 1", *b)
	}
	return nil
}

// indexBase returns the first index of libsvm files that the model is applied to.
func (d *rowsData) indexBase() blockstore.IndexBase {
	if d.IndexBase == nil {
		return blockstore.IndexBaseAuto
	}
	return blockstore.IndexBaseZero + blockstore.IndexBase(*d.IndexBase)
}

// checkIndexBase refuses --index-base for files of which none is libsvm, unless the command line names others.
func (d *dataFlags) checkIndexBase(files *blockstore.Files) error {
	if d.indexBase == blockstore.IndexBaseAuto || d.modelBase || files.IndexBase() != blockstore.IndexBaseAuto {
		return nil
	}
	namesLibsvm := func(path string) bool {
		path = strings.ToLower(path)
		for _, compression := range []string{".gz", ".zst", ".bz2"} {
			path = strings.TrimSuffix(path, compression)
		}
		return slices.Contains(blockstore.Extensions("libsvm"), filepath.Ext(path))
	}
	if slices.ContainsFunc(d.named, namesLibsvm) {
		return nil
	}
	return flags.Usagef("--index-base is for libsvm files, and %s is none: leave it out", files.Formats()[0].Path)
}

// withIndexBase sets the base of a model unless the command line says another one. The returned function adds to an
// error of the files what the base has to do with it.
func (d *dataFlags) withIndexBase(base blockstore.IndexBase) (explain func(error) error) {
	if d.indexBase != blockstore.IndexBaseAuto || base == blockstore.IndexBaseAuto {
		return func(err error) error { return err }
	}
	d.indexBase, d.modelBase = base, true
	return func(err error) error {
		if errors.Is(err, blockstore.ErrIndexBase) {
			return stream.AsDataError(err).Also("in the fit, indices started at %v", base)
		}
		return err
	}
}

// otherBase returns what else to do about files that give other columns than those of the fit.
func (in *input) otherBase() string {
	if in.base == blockstore.IndexBaseZero {
		return "; if indices start at 1, set --index-base 1"
	}
	return ""
}
