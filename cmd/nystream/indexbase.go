package main

import (
	"errors"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// firstIndex returns the first index that a base stands for, nil for auto.
func firstIndex(base blockstore.IndexBase) *int {
	if base == blockstore.IndexBaseAuto {
		return nil
	}
	first := int(base - blockstore.IndexBaseZero)
	return &first
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
