package blockstore

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream/logical"
)

// textTypes lists the classes of types for columns of text files.
var textTypes = []logical.Class{logical.Bool, logical.Int, logical.Uint, logical.Float, logical.Text, logical.Decimal, logical.Date, logical.Timestamp, logical.UUID}

// setTypes sets the given or detected types of columns of text files.
func (s *fileSet) setTypes(o Options) error {
	if len(o.Types) == 0 && !o.FindTypes {
		return nil
	}
	given := make(map[string]logical.Type)
	for _, item := range o.Types {
		name, kind, ok := cutLast(item, '=')
		if !ok {
			return fault.New("`Options.Types` %q has no =", item).
				WithRemedy("write the name of a column, = and its type, as in id=int64")
		}
		t, err := logical.Parse(kind)
		if err != nil {
			return fault.New("`Options.Types` %q: %w", item, err)
		}
		if !slices.Contains(textTypes, t.Class) {
			return fault.New("`Options.Types` %q: text is not read as %s", item, t).
				WithRemedy("use bool, int8 to int64, uint8 to uint64, float32, float64, decimal(18,4), date, timestamp, uuid or text")
		}
		given[name] = t
	}
	var tables []column.Table
	for _, m := range s.members {
		tables = append(tables, m.table)
	}
	unknown, err := text.SetTypes(tables, given, o.FindTypes)
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return fault.File(s.members[0].Path, "`Options.Types` names %s, which is no column of a file of text",
			quote.Names(unknown)).
			WithRemedy("the columns are: %s", s.members[0].names(nil))
	}
	return nil
}

// featuresNamed returns the number of features of a libsvm file whose types name the last of them,
// as in x9=float64, and 0 if they name none.
func featuresNamed(types []string) (n int) {
	for _, item := range types {
		name, _, _ := cutLast(item, '=')
		digits, ok := strings.CutPrefix(name, "x")
		if j, err := strconv.Atoi(digits); ok && err == nil && strconv.Itoa(j) == digits && j < column.Max {
			n = max(n, j+1)
		}
	}
	return n
}

// cutLast cuts a text at the last occurrence of c.
func cutLast(text string, c byte) (before, after string, ok bool) {
	i := strings.LastIndexByte(text, c)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
}
