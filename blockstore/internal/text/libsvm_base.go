package text

import (
	"errors"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/words"
)

// IndexBase is the first feature index of libsvm files.
type IndexBase uint8

const (
	// IndexBaseAuto is 0 if index 0 occurs in the files, else 1.
	IndexBaseAuto IndexBase = iota
	IndexBaseZero
	IndexBaseOne
)

// String returns auto, 0 or 1.
func (b IndexBase) String() string { return words.Of([]string{"auto", "0", "1"}, b) }

// first returns the first index. It is 1 for auto, which implies that no file has indices.
func (b IndexBase) first() int {
	if b == IndexBaseZero {
		return 0
	}
	return 1
}

// ErrIndexBase is wrapped by errors about indices that contradict the base.
var ErrIndexBase = errors.New("indices of another base")

// baseError is an [ErrIndexBase] with another message.
type baseError struct{ text string }

func (e baseError) Error() string { return e.text }
func (baseError) Unwrap() error   { return ErrIndexBase }

// indexRange is the range of the indices in a file or a part of it.
type indexRange struct {
	most int       // the largest; -1 if there are no indices
	zero *rowPlace // position of the first index 0; nil if there is none
}

// rowPlace is a row, counted from 0, and its line, counted from 1.
type rowPlace struct{ row, line int64 }

// observe adds the first and the last index of a row.
func (r *indexRange) observe(first, last int, at rowPlace) {
	if r.most = max(r.most, last); first == 0 && r.zero == nil {
		r.zero = &at
	}
}

// join adds the range of a later part, which begins at the given row and line.
func (r *indexRange) join(p indexRange, at rowPlace) {
	if r.most = max(r.most, p.most); r.zero == nil && p.zero != nil {
		r.zero = &rowPlace{at.row + p.zero.row, at.line + p.zero.line - 1}
	}
}

// base returns the base implied by the indices, auto if there are none.
func (r *indexRange) base() IndexBase {
	switch {
	case r.zero != nil:
		return IndexBaseZero
	case r.most >= 0:
		return IndexBaseOne
	}
	return IndexBaseAuto
}

// AgreeOnLibsvm gives all libsvm files the same base, the given one unless it is auto, and the same
// number of features. It returns the base: auto if none is given and there are no indices or no
// such files. It fails if base is auto and only some of the files have an index 0: they may differ
// in base, or lack the first feature.
func AgreeOnLibsvm(tables []column.Table, base IndexBase) (IndexBase, error) {
	var files []*libsvmTable
	with := make(map[IndexBase]*libsvmTable) // the first file whose indices suggest the base
	features := 0
	for _, t := range tables {
		l, ok := t.(*libsvmTable)
		if !ok {
			continue
		}
		files, features = append(files, l), max(features, l.features)
		if found := l.indices.base(); with[found] == nil {
			with[found] = l
		}
	}
	zero, one := with[IndexBaseZero], with[IndexBaseOne]
	switch {
	case base != IndexBaseAuto:
	case zero != nil && one != nil:
		return base, zero.indices.differFrom(zero.Path, one.Path)
	case zero != nil:
		base = IndexBaseZero
	case one != nil:
		base = IndexBaseOne
	}
	for _, l := range files {
		l.first = base.first()
		l.widen(features)
	}
	if len(files) == 0 {
		return IndexBaseAuto, nil
	}
	return base, nil
}

// differFrom reports that the file at path has an index 0, and another file does not.
func (r *indexRange) differFrom(path, other string) error {
	why := baseError{"index 0, and " + other + " has none: one file may count from 0, the other from 1"}
	return fault.Cell(path, r.zero.row, "", "%w", AtLine(why, r.zero.line)).
		WithRemedy("set `Options.IndexBase 0` or `Options.IndexBase 1`, the first index of all files")
}
