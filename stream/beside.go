package stream

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// besideSource is a source with additional kept columns in memory.
type besideSource struct {
	src     Source
	info    Info
	columns []Column
}

// Beside returns src with additional kept columns after its own: targets, labels or words in
// memory. It shares their memory. The kind of a field is that of its column. A preparation converts
// a string field with Category set to numbers, see prepare.New.
//
// It returns an error unless each name is new, each column has a value for each row of src, and
// categories hold strings.
func Beside(src Source, fields []Field, columns ...Column) (Gatherer, error) {
	s := &besideSource{src, src.Info(), columns}
	if len(fields) != len(columns) {
		return nil, fmt.Errorf("%s: %d names of %d columns in memory", s.info.Name, len(fields), len(columns))
	}
	s.info.Kept = slices.Clone(s.info.Kept)
	for k, f := range fields {
		c := &columns[k]
		if slices.ContainsFunc(s.info.Kept, func(other Field) bool { return other.Name == f.Name }) {
			return nil, fmt.Errorf("%s: two kept columns are called %q; rename one", s.info.Name, f.Name)
		}
		if n := int64(c.Len()); n != s.info.Rows {
			return nil, fmt.Errorf("%s has %d rows, and column %q has %d", s.info.Name, s.info.Rows, f.Name, n)
		}
		f.Kind, f.Type = c.Kind, c.Type
		if err := c.check(f, c.Len()); err != nil {
			return nil, fmt.Errorf("%s: %w", s.info.Name, err)
		}
		if f.Category && f.Kind != String {
			return nil, fmt.Errorf("%s: column %q is a category of kind %v; its values must be words", s.info.Name, f.Name, f.Kind)
		}
		s.info.Kept = append(s.info.Kept, f)
	}
	if s.info.InMemory { // a Run keeps no states for sources in memory
		return s, nil
	}
	s.info.Versions = maps.Clone(s.info.Versions)
	for k, f := range fields {
		if s.info.Versions == nil {
			s.info.Versions = make(map[string]string)
		}
		s.info.Versions["column "+f.Name] = columns[k].digest()
	}
	return s, nil
}

func (s *besideSource) Info() Info { return s.info }

// split returns the batch for the reader of src, and the kept columns filled from memory.
func (s *besideSource) split(dst *Batch) (inner *Batch, own []Column) {
	if dst.Kept == nil {
		return dst, nil
	}
	k := len(s.info.Kept) - len(s.columns)
	return &Batch{X: dst.X, Kept: dst.Kept[:k:k]}, dst.Kept[k:]
}

// Open implements [Source].
func (s *besideSource) Open(ctx context.Context, first int64) (Reader, error) {
	r, err := s.src.Open(ctx, first)
	if err != nil {
		return nil, err
	}
	return &besideReader{r, s, first}, nil
}

// Gather implements [Gatherer].
func (s *besideSource) Gather(ctx context.Context, rows []int64, dst *Batch) error {
	inner, own := s.split(dst)
	if err := Gather(ctx, s.src, rows, inner); err != nil {
		return err
	}
	resetKept(own)
	for k := range own {
		for _, r := range rows {
			own[k].Append(&s.columns[k], int(r), int(r)+1)
		}
	}
	return nil
}

type besideReader struct {
	Reader
	s    *besideSource
	next int64
}

// Read implements [Reader]. It fails if src yields more rows than there are values.
func (r *besideReader) Read(dst *Batch) (int, error) {
	inner, own := r.s.split(dst)
	n, err := r.Reader.Read(inner)
	end := r.next + int64(n)
	if end > r.s.info.Rows {
		return 0, excessError(r.s.info)
	}
	resetKept(own)
	for k := range own {
		own[k].Append(&r.s.columns[k], int(r.next), int(end))
	}
	r.next = end
	return n, err
}
