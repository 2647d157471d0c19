package rows

import (
	"errors"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// FirstIndex returns the first index of a base, nil for auto.
func FirstIndex(base blockstore.IndexBase) *int {
	if base == blockstore.IndexBaseAuto {
		return nil
	}
	first := int(base - blockstore.IndexBaseZero)
	return &first
}

// WithIndexBase sets the base of a model unless the command line sets another one. The returned function adds a hint
// about the base to an error of the files.
func (d *DataFlags) WithIndexBase(base blockstore.IndexBase) (explain func(error) error) {
	if d.indexBase != blockstore.IndexBaseAuto || base == blockstore.IndexBaseAuto {
		return func(err error) error { return err }
	}
	d.indexBase, d.modelBase = base, true
	return func(err error) error {
		if errors.Is(err, blockstore.ErrIndexBase) {
			return stream.AsDataError(err).AddRemedy("in the fit, indices started at %v", base)
		}
		return err
	}
}

// OtherBase returns a hint about the base for files with other columns than those of the fit.
func (in *Input) OtherBase() string {
	if in.base == blockstore.IndexBaseZero {
		return "; if indices start at 1, set --index-base 1"
	}
	return ""
}
