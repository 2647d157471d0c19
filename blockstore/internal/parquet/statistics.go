package parquet

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/nystream/nystream/blockstore/internal/column"
)

// footerStatistics is the part of a footer decoded for statistics.
type footerStatistics struct {
	RowGroups []struct {
		Columns []struct {
			MetaData struct {
				Statistics chunkStatistics `thrift:"12,optional"`
			} `thrift:"3,optional"`
		} `thrift:"1,required"`
	} `thrift:"4,required"`
}

// chunkStatistics are the statistics of a column in a row group.
type chunkStatistics struct {
	Nulls thrift.Null[int64] `thrift:"3,optional"`
	Max   []byte             `thrift:"5,optional"`
	Min   []byte             `thrift:"6,optional"`
}

// Statistics returns the statistics in the footer for integer, date and time columns, by column
// index. Those of floats are omitted, since they do not show NaN and infinities, and so are
// inconsistent ones. Cost: the footer is read again.
func (t *table) Statistics(ctx context.Context) (map[int]column.Statistics, error) {
	in, err := t.stamp.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	// The footer is read again, since a table does not keep its statistics.
	raw, _, err := t.footerBytes(in)
	if err = t.stamp.CheckUnchanged(in, err); err != nil {
		return nil, err
	}
	var footer footerStatistics
	list := make(map[int]column.Statistics)
	if decodeThrift(raw, &footer) != nil || len(footer.RowGroups) != len(t.groups) {
		return list, nil
	}
	for i := range t.leaves {
		c := &t.leaves[i]
		if c.maxRep > 0 || c.Kind != column.Integer || c.physical != format.Int32 && c.physical != format.Int64 {
			continue
		}
		all, ok := column.Statistics{}, true
		for g := range footer.RowGroups {
			columns := footer.RowGroups[g].Columns
			ok = ok && i < len(columns) && c.addStatistics(&all, &columns[i].MetaData.Statistics, t.groups[g].rows)
		}
		if ok {
			list[i] = all
		}
	}
	return list, nil
}

// addStatistics adds the statistics of a row group of rows rows. It reports false if they are
// missing or inconsistent.
func (c *leafColumn) addStatistics(all *column.Statistics, s *chunkStatistics, rows int64) bool {
	size := c.wordSize()
	if !s.Nulls.Valid || s.Nulls.V < 0 || s.Nulls.V > rows {
		return false
	}
	all.Nulls += s.Nulls.V
	if s.Nulls.V == rows {
		return true
	}
	if len(s.Min) != size || len(s.Max) != size {
		return false
	}
	for _, raw := range [][]byte{s.Min, s.Max} {
		var word [8]byte
		copy(word[:], raw)
		v, _ := c.format.Integer(binary.LittleEndian.Uint64(word[:]))
		all.Bounds = append(all.Bounds, v)
	}
	least, most := all.Bounds[len(all.Bounds)-2], all.Bounds[len(all.Bounds)-1]
	if c.format.Form == column.UnsignedForm {
		least, most = least^math.MinInt64, most^math.MinInt64
	}
	return least <= most
}
