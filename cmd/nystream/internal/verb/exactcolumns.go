package verb

import (
	"strconv"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream/logical"
)

// maxExactColumns is the largest number of columns of a table whose integers are shown exactly.
const maxExactColumns = 1000

// isFeature reports whether a fit uses column i as a feature by default. label is the label column of a libsvm file.
func isFeature(i int, c *blockstore.ColumnInfo, label int) bool {
	return c.Kind != "text" && c.Kind != "other" && !c.IsTemporal() && !c.Folder && i != label
}

// exactColumns returns the columns that inspect keeps exactly instead of converting them to numbers: text, dates,
// times, UUIDs, bytes, integers, the label of a libsvm file, and the k of k=v folders. items select them by name, or by
// number if the name is not unique.
func exactColumns(columns []blockstore.ColumnInfo) (places []int, items []string) {
	count := make(map[string]int) // number of columns for each name of a kept one
	label := libsvmLabel(columns)
	isExact := func(i int, c *blockstore.ColumnInfo) bool {
		exact := c.Kind == "integer" && (c.IsTemporal() || !c.Verbatim && len(columns) <= maxExactColumns)
		words := c.Kind == "text" || c.Type.Class == logical.UUID || c.Type.Class == logical.Bytes
		return words || exact || c.Folder || i == label
	}
	for i := range columns {
		if isExact(i, &columns[i]) {
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
		if c.AbsentFrom == "" && isExact(i, &c) {
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

// libsvmLabel returns the index of the label of a libsvm file, -1 for other files. It recognises such files by the
// column names of their reader: x0, x1, …, label and optionally qid.
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
