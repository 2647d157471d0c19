package graph

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/text"
)

// Header names that identify the columns of an edge list, and of a list of nodes.
var (
	sourceNames = []string{"source", "src", "from", "fromnodeid"}
	targetNames = []string{"target", "dst", "to", "tonodeid", "dest"}
	weightNames = []string{"weight", "w", "value"}
	nodeNames   = []string{"node", "id", "nodeid", "name"}
)

// edgeColumns assigns the cells of a line.
type edgeColumns struct {
	source, target int
	weight         int  // -1 for none
	guessed        bool // weight is the third column, without a name
	width          int  // cells per line
	header         bool
}

// noWeight is the value of Options.Weight for edges without weights.
const noWeight = "-"

// columns determines the columns from the first two records of the file.
func (o Options) columns(first, second []string, delimiter rune) (c edgeColumns, err error) {
	c = edgeColumns{width: len(first), header: o.hasHeader(first, second)}
	if c.width < 2 {
		return c, fault.New("a line holds one cell, and an edge needs a source and a target").WithRemedy("name the delimiter if it is not %q", delimiter)
	}
	var names []string
	if c.header {
		names = first
	}
	fallback := [2]int{0, 1}
	source, target := findName(names, sourceNames), findName(names, targetNames)
	if source >= 0 && target >= 0 {
		fallback = [2]int{source, target}
	}
	if c.source, err = findColumn(o.Source, names, c.width, fallback[0]); err != nil {
		return c, err
	}
	if c.target, err = findColumn(o.Target, names, c.width, fallback[1]); err != nil {
		return c, err
	}
	if c.weight, err = o.weightColumn(names, c.width); err != nil {
		return c, err
	}
	c.guessed = c.weight >= 0 && o.Weight == "" && names == nil
	if c.source == c.target || c.weight == c.source || c.weight == c.target {
		return c, fault.New("source, target and weight must be different columns").WithRemedy("name those that are not found by themselves")
	}
	return c, nil
}

// weightColumn returns the column of the weights.
func (o Options) weightColumn(names []string, width int) (int, error) {
	named := findName(names, weightNames)
	switch {
	case o.Weight == noWeight:
		return -1, nil
	case o.Weight != "":
		return findColumn(o.Weight, names, width, -1)
	case named >= 0 || width == 2:
		return named, nil
	case width == 3 && names == nil:
		return 2, nil
	}
	return -1, fault.New("there are %d columns, none called weight", width).
		WithRemedy("name the one that holds the weights, or number it from 0, or say - for none")
}

// hasHeader reports whether the first record is a header: it names a source and a target, or a
// column given by an option, or is text while the ids below are integers.
func (o Options) hasHeader(first, second []string) bool {
	return !o.NoHeader && (o.Header ||
		findName(first, sourceNames) >= 0 && findName(first, targetNames) >= 0 ||
		isColumnName(o.Source, first) || isColumnName(o.Target, first) || isColumnName(o.Weight, first) ||
		len(first) > 1 && len(second) == len(first) && textAbove(first, second, 0) && textAbove(first, second, 1))
}

// textAbove reports whether cell j is an integer in the second record but not in the first.
func textAbove(first, second []string, j int) bool {
	return !text.IsInteger([]byte(first[j])) && text.IsInteger([]byte(second[j]))
}

// isColumnName reports whether an option is a column name in the first record. An integer is a
// column number.
func isColumnName(option string, first []string) bool {
	return option != "" && option != noWeight && !text.IsInteger([]byte(option)) && slices.Contains(first, option)
}

// findName returns the first column with one of the names, ignoring case, or -1.
func findName(header, names []string) int {
	return slices.IndexFunc(header, func(cell string) bool {
		return slices.Contains(names, strings.ToLower(cell))
	})
}

// findColumn returns the column that an option gives by name or by number, and fallback if the
// option is empty. names is nil without a header.
func findColumn(option string, names []string, width, fallback int) (int, error) {
	if option == "" {
		return fallback, nil
	}
	if j := slices.Index(names, option); j >= 0 {
		return j, nil
	}
	if j, err := strconv.Atoi(option); err == nil && j >= 0 && j < width {
		return j, nil
	}
	if names == nil {
		return -1, fault.New("there is no column %q: the file has no header", option).WithRemedy("name columns by number, 0 to %d", width-1)
	}
	if near := fault.Nearest(option, names); near != "" {
		return -1, fault.New("there is no column %q", option).WithRemedy("did you mean %q?", near)
	}
	return -1, fault.New("there is no column %q", option).WithRemedy("the columns are %s", fault.Shorten([]byte(strings.Join(names, ", "))))
}
