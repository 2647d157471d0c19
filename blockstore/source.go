package blockstore

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Source reads the rows of one file, or of several files one after another. It implements
// [stream.Gatherer]. A pass fails if a file has more or fewer rows than when it was opened; a panic
// in a decoder is an error of its file.
//
// A wrapper hides the methods of a Source beyond [stream.Source]. Keep the Source to call them.
//
// A Source is safe for concurrent use.
type Source struct {
	info   stream.Info
	first  []int64 // the number of the first row of each part
	parts  []stream.Gatherer
	chosen selection // in the first file
	width  int       // of the first file, see selector.width
	tables []*column.TableInfo
	dates  map[int]DateColumn
	opened atomic.Bool

	positions []int // of the chosen components or their columns
}

var _ stream.Gatherer = (*Source)(nil)

// Parts returns the number of rows of each file, in order.
func (s *Source) Parts() (rows []int64) {
	for _, p := range s.parts {
		rows = append(rows, p.Info().Rows)
	}
	return rows
}

// OpenBytes estimates the memory, in bytes, of the open files without their readers.
func (s *Source) OpenBytes() (bytes int64) {
	for _, t := range s.tables {
		bytes += column.OpenBytes(len(t.Columns)) + t.Index
	}
	return bytes
}

// Keep allows the source to cache its decoded rows if they take at most the given number of bytes.
// It caches files of few pages, and files for which gathered rows touch most pages. Later readers
// do not read the file again, but still report a change. Rows with text are not cached. 0, or too
// small a number, releases the cache. Keep must not be called while readers are open.
func (s *Source) Keep(bytes int64) {
	width := 8 * int64(len(s.info.Columns)+len(s.info.Kept))
	for _, p := range s.parts {
		if k, ok := p.(column.Keeper); ok {
			k.Keep(s.info.Rows <= bytes/max(1, width))
		}
	}
}

// LimitBatches limits the memory of a batch of an Arrow stream from a pipe to left bytes. of is
// the limit of the run, for the message. Exceeding it is a *stream.OverBudgetError. The size of a batch is unknown
// before it arrives. LimitBatches is called before readers are open; until then the limit is
// [Options].Memory.
func (s *Source) LimitBatches(left, of int64) {
	for _, t := range s.tables {
		t.Limit = column.Limit{Left: left, Of: of}
	}
}

// LeftOut returns the columns that were not selected because of their types, or because the first
// file lacks them. It returns nil if columns were selected by name.
func (s *Source) LeftOut() []LeftOutColumn { return s.chosen.leftOut }

// Positions returns the numbers of the features in the first file, counted as in [Options].Columns,
// and the total number of columns counted: only those without names if all features are among them.
// Each part of a date has the number of its column.
func (s *Source) Positions() (numbers []int, of int) { return s.positions, s.width }

// Unmarked reports whether an Arrow stream among the files ended without its end mark; for a pipe
// this is known after reading. Either its writer omits the mark, or the stream was truncated
// between two batches.
func (s *Source) Unmarked() bool {
	return slices.ContainsFunc(s.tables, func(t *column.TableInfo) bool { return t.Unmarked })
}

// join returns one source of parts, which have the columns of info, selected among those of the
// first file.
func join(parts []stream.Gatherer, tables []*column.TableInfo, info stream.Info, chosen selection, first *member) *Source {
	info.Name = parts[0].Info().Name
	if more := len(parts) - 1; more > 0 {
		info.Name += fmt.Sprintf(" and %d more", more)
	}
	s := &Source{info: info, parts: parts, chosen: chosen, width: first.width(chosen.numeric), tables: tables, dates: first.dateColumns(chosen.numeric), positions: first.columnComponents(chosen.numeric)}
	s.info.Versions = make(map[string]string)
	for _, p := range parts {
		part := p.Info()
		s.first = append(s.first, s.info.Rows)
		s.info.Rows += part.Rows
		s.info.OnePass, s.info.Live = s.info.OnePass || part.OnePass, s.info.Live || part.Live
		s.info.PassesToOpen = max(s.info.PassesToOpen, part.PassesToOpen)
		s.info.SeekCost = max(s.info.SeekCost, part.SeekCost)
		s.info.ReaderBytes = max(s.info.ReaderBytes, part.ReaderBytes)
		for name, version := range part.Versions {
			s.info.Versions[name] += version // files in different folders may have the same name
		}
	}
	return s
}

// Info describes the source.
func (s *Source) Info() stream.Info { return s.info }

// Open implements stream.Source.
func (s *Source) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := s.info.CheckFirst(first); err != nil {
		return nil, err
	}
	if s.opened.Swap(true) && s.info.OnePass {
		return nil, fmt.Errorf("%s %w", s.info.Name, stream.ErrReadOnce)
	}
	r := &sourceReader{source: s, ctx: ctx}
	for first > 0 && r.at < len(s.parts) && first >= s.parts[r.at].Info().Rows {
		first -= s.parts[r.at].Info().Rows
		r.at++
	}
	r.returned = first
	return r, nil
}

// sourceReader is a pass over a Source. One part is open at a time.
type sourceReader struct {
	source   *Source
	ctx      context.Context
	at       int           // index of the current part
	current  stream.Reader // nil before it is opened
	returned int64         // rows of it returned, including skipped ones
}

// Read reads from the current part. It returns fewer rows than requested at the end of a part.
func (r *sourceReader) Read(dst *stream.Batch) (int, error) {
	column.MustFit(r.source.info, dst)
	for r.at < len(r.source.parts) {
		n, err := r.readPart(dst)
		if err == io.EOF {
			err = r.finishPart()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	column.Truncate(dst, r.source.info.Kept)
	return 0, io.EOF
}

// readPart reads from the current part, opening it if necessary.
func (r *sourceReader) readPart(dst *stream.Batch) (n int, err error) {
	part := r.source.parts[r.at]
	if r.current == nil {
		if r.current, err = part.Open(r.ctx, r.returned); err != nil {
			return 0, err
		}
	}
	n, err = r.current.Read(dst)
	r.returned += int64(n)
	if want := part.Info().Rows; want >= 0 && r.returned > want {
		return 0, fault.File(part.Info().Name, "it gives more than the %d rows it has promised: it has changed, or is damaged", want).
			WithKind(stream.Damaged).WithRemedy("make or fetch it again")
	}
	return n, err
}

// finishPart closes a finished part and advances to the next.
func (r *sourceReader) finishPart() error {
	part := r.source.parts[r.at].Info()
	if part.Rows >= 0 && r.returned != part.Rows {
		return fault.File(part.Name, "it gives %d rows where it has promised %d: it has changed, or is damaged", r.returned, part.Rows).
			WithKind(stream.Damaged).WithRemedy("make or fetch it again")
	}
	r.at++
	err := r.current.Close()
	r.current, r.returned = nil, 0
	return err
}

// Close closes the current part.
func (r *sourceReader) Close() error {
	if r.current == nil {
		return nil
	}
	err := r.current.Close()
	r.current = nil
	return err
}

// Gather fetches each row from the part that holds it.
func (s *Source) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	if s.info.OnePass {
		return fmt.Errorf("%s %w", s.info.Name, stream.ErrReadOnce)
	}
	column.BeginGather(s.info, rows, dst)
	for at := 0; at < len(rows); {
		p := sort.Search(len(s.first), func(p int) bool { return s.first[p] > rows[at] }) - 1
		local := column.LeadingLocal(rows[at:], s.first[p], s.first[p]+s.parts[p].Info().Rows)
		if err := s.gatherPart(ctx, p, local, dst, at); err != nil {
			return err
		}
		at += len(local)
	}
	return nil
}

// gatherPart gathers rows of part p into dst, starting at row at.
func (s *Source) gatherPart(ctx context.Context, p int, local []int64, dst *stream.Batch, at int) error {
	b := stream.Batch{X: matrix.Rows(dst.X, at, len(local))}
	if dst.Kept != nil {
		b.Kept = s.info.NewKept()
	}
	if err := s.parts[p].Gather(ctx, local, &b); err != nil {
		return err
	}
	for k := range dst.Kept {
		dst.Kept[k].Append(&b.Kept[k], 0, len(local))
	}
	return nil
}
