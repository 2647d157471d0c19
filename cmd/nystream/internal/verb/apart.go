package verb

import (
	"strconv"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream/logical"
)

// mostExact is how many columns a table has at most whose integers are shown exactly.
const mostExact = 1000

// isComputed reports whether a fit computes with column i by itself; label is that of a libsvm file.
func isComputed(i int, c *blockstore.ColumnInfo, label int) bool {
	return c.Kind != "text" && c.Kind != "other" && !c.IsTemporal() && !c.Folder && i != label
}

// apartColumns returns the columns that inspect has carried along, exactly, and does not take as numbers: text, dates,
// times and the like, UUIDs, bytes, integers, the label of a libsvm file, and the k of k=v folders. items choose them: their names, or their numbers where others are called the same.
func apartColumns(columns []blockstore.ColumnInfo) (places []int, items []string) {
	count := make(map[string]int) // of columns by the names of those apart
	label := libsvmLabel(columns)
	apart := func(i int, c *blockstore.ColumnInfo) bool {
		exact := c.Kind == "integer" && (c.IsTemporal() || c.Exact && len(columns) <= mostExact)
		words := c.Kind == "text" || c.Type.Class == logical.UUID || c.Type.Class == logical.Bytes
		return words || exact || c.Folder || i == label
	}
	for i := range columns {
		if apart(i, &columns[i]) {
			count[columns[i].Name] = 0
		}
	}
	if len(count) == 0 {
		return nil, nil
	}
	for _, c := range columns {
		if n, ok := count[c.Name]; ok {
			count[c.Name] = n + 1
		}
	}
	number := 0
	for i, c := range columns {
		if c.Absent == "" && apart(i, &c) {
			item := c.Name
			if count[c.Name] > 1 {
				item = strconv.Itoa(number)
			}
			places, items = append(places, i), append(items, item)
		}
		number += c.Width
	}
	return places, items
}

// libsvmLabel returns the place of the label of a libsvm file, -1 for other files. It knows the
// columns by the names that their reader gives them: x0, x1, …, label and perhaps qid.
func libsvmLabel(columns []blockstore.ColumnInfo) int {
	for i, c := range columns {
		if i > 0 && c.Name == "label" && (i+1 == len(columns) || columns[i+1].Folder || columns[i+1].Name == "qid") {
			return i
		}
		if c.Name != "x"+strconv.Itoa(i) {
			return -1
		}
	}
	return -1
}
