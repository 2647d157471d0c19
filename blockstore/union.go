package blockstore

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// union is several sources of the same columns, one after the other. It also
// holds single files: it is the one place that checks that each file gives the
// rows it has promised. A panic while a part is opened, read or gathered from
// is an error.
type union struct {
	info   stream.Info
	first  []int64 // the number of the first row of each part
	parts  []stream.Gatherer
	chosen selection // in the first file
	width  int       // of the first file, see selector.width
	tables []*column.TableInfo
}

// Parts returns how many rows of a source made by Open are of each of its files, in
// order; nil if src was not made by Open.
func Parts(src stream.Source) (rows []int64) {
	if u := unionOf(src); u != nil {
		for _, p := range u.parts {
			rows = append(rows, p.Info().Rows)
		}
	}
	return rows
}

// What an open file holds whether or not it is read: at most 2.1 KiB, and 460 bytes for each of
// its columns, were measured.
const (
	openBytes   = 2 << 10
	columnBytes = 512
)

// OpenBytes returns about how much memory the files of a source made by Open take while they
// are open, besides its readers.
func OpenBytes(src stream.Source) (bytes int64) {
	if u := unionOf(src); u != nil {
		for _, t := range u.tables {
			bytes += openBytes + columnBytes*int64(len(t.Columns)) + t.Index
		}
	}
	return bytes
}

// LeftOutColumn is a column that is no part of the rows though nobody has left it out.
type LeftOutColumn struct {
	Name string `json:"name"`
	// Reason is what it holds instead of numbers to compute with: text, date, timestamp, time, lists
	// of lists; or that the first file does not have it.
	Reason string `json:"reason"`
}

// LeftOut returns the columns of a source made by Open that were not chosen because of
// what they hold, or because only files behind the first have them. It is nil when columns
// were chosen by name.
func LeftOut(src stream.Source) []LeftOutColumn {
	if u := unionOf(src); u != nil {
		return u.chosen.leftOut
	}
	return nil
}

// Positions returns the numbers of the columns of a source made by Open, as Options.Columns
// counts them in the first file, and how many there are: those without names, if there are any.
// It returns nil if src was not made by Open.
func Positions(src stream.Source) (numbers []int, of int) {
	if u := unionOf(src); u != nil {
		return u.chosen.numeric, u.width
	}
	return nil, 0
}

// Unmarked reports whether an Arrow stream among the files of a source made by Open ended
// without its end mark, of a pipe once it was read. Such a stream is whole if its writer
// leaves the mark out, as some do; that it was not cut between two batches nobody can tell.
func Unmarked(src stream.Source) bool {
	u := unionOf(src)
	return u != nil && slices.ContainsFunc(u.tables, func(t *column.TableInfo) bool { return t.Unmarked })
}

// unionOf returns what Open made, or nil.
func unionOf(src stream.Source) *union {
	u, _ := src.(*union)
	return u
}

// join makes one source of parts, which have the columns of info, chosen among so many
// of the first.
func join(parts []stream.Gatherer, tables []*column.TableInfo, info stream.Info, chosen selection, width int) *union {
	info.Name = parts[0].Info().Name
	if more := len(parts) - 1; more > 0 {
		info.Name += fmt.Sprintf(" and %d more", more)
	}
	u := &union{info: info, parts: parts, chosen: chosen, width: width, tables: tables}
	u.info.Versions = make(map[string]string)
	for _, p := range parts {
		part := p.Info()
		u.first = append(u.first, u.info.Rows)
		u.info.Rows += part.Rows
		u.info.Scans = max(u.info.Scans, part.Scans)
		u.info.Lead = max(u.info.Lead, part.Lead)
		u.info.Holds = max(u.info.Holds, part.Holds)
		for name, version := range part.Versions {
			u.info.Versions[name] += version // folders may have files of one name
		}
	}
	return u
}

// Info describes the source.
func (u *union) Info() stream.Info { return u.info }

// Open returns a reader of the rows from the given one on.
func (u *union) Open(ctx context.Context, first int64) (stream.Reader, error) {
	if err := stream.CheckFirst(u.info, first); err != nil {
		return nil, err
	}
	r := &unionReader{union: u, ctx: ctx}
	for first > 0 && r.at < len(u.parts) && first >= u.parts[r.at].Info().Rows {
		first -= u.parts[r.at].Info().Rows
		r.at++
	}
	r.given = first
	return r, nil
}

// unionReader is a pass over a union. One part is open at a time.
type unionReader struct {
	union   *union
	ctx     context.Context
	at      int           // the part that is read
	current stream.Reader // nil before it is opened
	given   int64         // rows of it, those before the first included
}

// Read reads from the current part; it returns fewer rows than asked for where
// a part ends.
func (r *unionReader) Read(dst *stream.Batch) (int, error) {
	column.MustFit(r.union.info, dst)
	for r.at < len(r.union.parts) {
		n, err := r.readPart(dst)
		if err == io.EOF {
			err = r.finishPart()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	column.Truncate(dst, r.union.info.Kept)
	return 0, io.EOF
}

// readPart reads from the current part, opening it if need be.
func (r *unionReader) readPart(dst *stream.Batch) (n int, err error) {
	part := r.union.parts[r.at]
	failed := fault.Guard(part.Info().Name, func() error {
		if r.current == nil {
			if r.current, err = part.Open(r.ctx, r.given); err != nil {
				return nil
			}
		}
		n, err = r.current.Read(dst)
		return nil
	})
	if failed != nil {
		return 0, failed
	}
	r.given += int64(n)
	if want := part.Info().Rows; r.given > want {
		return 0, fault.File(part.Info().Name, "it gives more than the %d rows it has promised: it has changed, or is damaged", want).
			Of(stream.Damaged).Do("make or fetch it again")
	}
	return n, err
}

// finishPart closes a part that has ended and goes on to the next.
func (r *unionReader) finishPart() error {
	part := r.union.parts[r.at].Info()
	if r.given != part.Rows {
		return fault.File(part.Name, "it gives %d rows where it has promised %d: it has changed, or is damaged", r.given, part.Rows).
			Of(stream.Damaged).Do("make or fetch it again")
	}
	r.at++
	err := r.current.Close()
	r.current, r.given = nil, 0
	return err
}

// Close closes the part that is open.
func (r *unionReader) Close() error {
	if r.current == nil {
		return nil
	}
	err := r.current.Close()
	r.current = nil
	return err
}

// Gather fetches each row from the part that holds it.
func (u *union) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	column.BeginGather(u.info, rows, dst)
	for at := 0; at < len(rows); {
		p := sort.Search(len(u.first), func(p int) bool { return u.first[p] > rows[at] }) - 1
		local := column.LeadingLocal(rows[at:], u.first[p], u.first[p]+u.parts[p].Info().Rows)
		if err := u.gatherPart(ctx, p, local, dst, at); err != nil {
			return err
		}
		at += len(local)
	}
	return nil
}

// gatherPart fetches rows of part p into dst from row at on.
func (u *union) gatherPart(ctx context.Context, p int, local []int64, dst *stream.Batch, at int) error {
	b := stream.Batch{X: matrix.Rows(dst.X, at, len(local))}
	if dst.Kept != nil {
		b.Kept = stream.KeptColumns(u.info.Kept)
	}
	part := u.parts[p]
	if err := fault.Guard(part.Info().Name, func() error { return part.Gather(ctx, local, &b) }); err != nil {
		return err
	}
	for k := range dst.Kept {
		dst.Kept[k].Append(&b.Kept[k], 0, len(local))
	}
	return nil
}
