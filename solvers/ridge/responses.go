package ridge

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/stream"
)

// responses holds the targets or classes, weights and groups of some rows.
type responses struct {
	outputs   blas64.General // standardised targets, or codes of classes: 1 for the class of a row, else −1
	class     []int          // nil for regression
	rowWeight []float64      // weights of rows; other fields are not set for weight 0
	weight    []float64      // given, times the weight of the class
	group     []uint64       // the row number, or a hash of its group
}

// responseColumns reads targets, labels, weights and groups from the kept columns of a source. The indices are those of
// kept columns, -1 for none.
type responseColumns struct {
	*Data
	info    stream.Info
	targets []int
	label   int
	weights int
	foldBy  int
	refer   *reference // of targets; nil until it is known, and for classes
	present []int64    // row numbers of positive weight, if groups are indices into them; else nil
	total   float64    // total weight of the rows
	balance []float64  // k·n_c of each class, for balanced classes; else nil
}

// columns finds the kept columns. If balanced, all k classes get equal total weight: rows of a class with weight n_c
// have their weights multiplied by n/(k·n_c).
func (d *Data) columns(balanced bool) (c *responseColumns, err error) {
	c = &responseColumns{Data: d, info: d.Rows.Info(), targets: make([]int, len(d.Targets)), label: -1, weights: -1, foldBy: -1}
	for j, name := range d.Targets {
		if c.targets[j], err = findNumbers(c.info, name, "`Data.Targets`"); err != nil {
			return nil, err
		}
	}
	if d.Weights != "" {
		if c.weights, err = findNumbers(c.info, d.Weights, "`Data.Weights`"); err != nil {
			return nil, err
		}
	}
	if d.FoldBy != "" {
		if c.foldBy, err = find(c.info, d.FoldBy, "`Data.FoldBy`"); err != nil {
			return nil, err
		}
	}
	if d.Classes != nil {
		c.label, err = find(c.info, d.Classes.Label, "`Classes.Label`")
		if err == nil && c.info.Kept[c.label].Kind != d.Classes.Levels.Kind {
			err = fmt.Errorf("%s: the classes are of another kind of column than %s", c.info.Name, d.Classes.Label)
		}
		if balanced {
			c.balanceBy(d.Classes.masses())
		}
	}
	return c, err
}

// balanceBy gives all classes of positive mass the same total weight.
func (c *responseColumns) balanceBy(masses []float64) {
	occurring := 0.0
	for _, mass := range masses {
		if mass > 0 {
			occurring++
		}
	}
	c.total, c.balance = dense.Sum(masses), make([]float64, len(masses))
	for class, mass := range masses {
		c.balance[class] = occurring * mass
	}
}

// find returns the index of a kept column.
func find(info stream.Info, name, setting string) (int, error) {
	var names []string
	for k, f := range info.Kept {
		if f.Name == name {
			return k, nil
		}
		names = append(names, f.Name)
	}
	const what = "%s keeps no column %q for %s; it keeps: %s"
	return -1, fmt.Errorf(what, info.Name, name, setting, strings.Join(names, ", "))
}

// findNumbers returns the index of a kept column of numbers.
func findNumbers(info stream.Info, name, setting string) (place int, err error) {
	place, err = find(info, name, setting)
	if err == nil && info.Kept[place].Kind == stream.String {
		err = stream.NewDataError(info.Name, "column %s of %s holds text, and numbers are wanted", name, setting)
	}
	return place, err
}

// whyUnusable returns why value i of a column cannot be used, or "".
func whyUnusable(c *stream.Column, i int, setting string) string {
	switch {
	case c.Null(i) || c.Kind == stream.String && c.Strings[i] == "":
		return "nothing is there, and " + setting + " needs a value in each row; leave such rows out of the data"
	case c.Kind == stream.Float64 && c.Floats[i]-c.Floats[i] != 0:
		return fmt.Sprintf("is %v, and %s needs finite numbers", c.Floats[i], setting)
	}
	return ""
}

// badValue returns the error for an unusable value of the kept column with the given index.
func badValue(info stream.Info, row int64, place int, reason string) error {
	return stream.NewValueError(info.Name, row, info.Kept[place].Name, "%s", reason)
}

// resize allocates n rows.
func (k *responses) resize(n, outputs int, classes bool) {
	if cap(k.weight) < n {
		k.outputs = matrix.New(n, outputs)
		k.rowWeight, k.weight, k.group = make([]float64, n), make([]float64, n), make([]uint64, n)
		if classes {
			k.class = make([]int, n)
		}
	}
	k.outputs.Rows = n
	k.rowWeight, k.weight, k.group = k.rowWeight[:n], k.weight[:n], k.group[:n]
	if classes {
		k.class = k.class[:n]
	}
}

// weighing returns the indices of rows with positive weight.
func (k *responses) weighing() (places []int) {
	for i, w := range k.weight {
		if w > 0 {
			places = append(places, i)
		}
	}
	return places
}

// measure standardises targets by a reference.
func (k *responses) measure(by *reference) {
	for i := range k.outputs.Rows {
		for j, v := range matrix.Row(k.outputs, i) {
			matrix.Row(k.outputs, i)[j] = by.in(j, v)
		}
	}
}

// pick copies the given rows.
func (k *responses) pick(places []int) responses {
	out := responses{outputs: dense.PickRows(k.outputs, places), rowWeight: dense.Pick(k.rowWeight, places),
		weight: dense.Pick(k.weight, places)}
	for _, i := range places {
		out.group = append(out.group, k.group[i])
		if k.class != nil {
			out.class = append(out.class, k.class[i])
		}
	}
	return out
}

// slice returns n rows from first on, sharing memory.
func (k *responses) slice(first, n int) responses {
	out := responses{outputs: matrix.Rows(k.outputs, first, n),
		rowWeight: k.rowWeight[first:][:n], weight: k.weight[first:][:n],
		group: k.group[first:][:n]}
	if k.class != nil {
		out.class = k.class[first:][:n]
	}
	return out
}

// read reads n rows from kept columns. It fails if a value is missing, is not finite, is a negative weight or an
// unknown label.
func (c *responseColumns) read(k *responses, kept []stream.Column, n int, numbers input.Numbers) error {
	k.resize(n, max(c.Classes.count(), len(c.targets)), c.Classes != nil)
	for i := range n {
		if place, reason := c.readRow(k, kept, i, numbers.At(i)); reason != "" {
			return badValue(c.info, numbers.At(i), place, reason)
		}
	}
	return nil
}

// readRow reads row i. For an invalid value it returns the index of the column and a reason. It ignores the other
// values of a row of weight 0.
func (c *responseColumns) readRow(k *responses, kept []stream.Column, i int, number int64) (place int, reason string) {
	k.rowWeight[i], k.group[i] = 1, uint64(number)
	if c.weights >= 0 {
		reason := whyUnusable(&kept[c.weights], i, "`Data.Weights`")
		if k.rowWeight[i] = numberOf(&kept[c.weights], i); reason == "" && k.rowWeight[i] < 0 {
			reason = fmt.Sprintf("is %v, and `Data.Weights` are 0 or more", k.rowWeight[i])
		}
		if reason != "" {
			return c.weights, reason
		}
	}
	if k.weight[i] = k.rowWeight[i]; k.weight[i] == 0 {
		clear(matrix.Row(k.outputs, i))
		return 0, ""
	}
	for j, place := range c.targets {
		if reason := whyUnusable(&kept[place], i, "`Data.Targets`"); reason != "" {
			return place, reason
		}
		matrix.Row(k.outputs, i)[j] = c.refer.in(j, numberOf(&kept[place], i))
	}
	if c.label >= 0 {
		if reason := c.readClass(k, &kept[c.label], i); reason != "" {
			return c.label, reason
		}
	}
	if c.present != nil {
		rank, _ := slices.BinarySearch(c.present, number)
		k.group[i] = uint64(rank)
	}
	if c.foldBy >= 0 {
		if reason := whyUnusable(&kept[c.foldBy], i, "`Data.FoldBy`"); reason != "" {
			return c.foldBy, reason
		}
		k.group[i] = hashOf(&kept[c.foldBy], i)
	}
	return 0, ""
}

// readClass reads the class of row i and balances its weight.
func (c *responseColumns) readClass(k *responses, labels *stream.Column, i int) (reason string) {
	if reason := whyUnusable(labels, i, "`Classes.Label`"); reason != "" {
		return reason
	}
	class, found := c.Classes.of(labels, i)
	if !found {
		return fmt.Sprintf("is none of the %d classes: the file changed, or the classes are of other rows", c.Classes.count())
	}
	codes := matrix.Row(k.outputs, i)
	for j := range codes {
		codes[j] = -1
	}
	k.class[i], codes[class] = class, 1
	if c.balance != nil {
		k.weight[i] = c.balanced(k.rowWeight[i], class)
	}
	return ""
}

// balanced returns the weight of a row times that of its class.
func (c *responseColumns) balanced(given float64, class int) float64 {
	return given * (c.total / c.balance[class])
}

// balanceRows recomputes the balanced weights of rows already read.
func (c *responseColumns) balanceRows(k *responses) {
	for i, class := range k.class {
		k.weight[i] = c.balanced(k.rowWeight[i], class)
	}
}

// groupOf returns the common group of all rows with positive weight, or "" if there are several.
func (c *responseColumns) groupOf(kept []stream.Column, k *responses) (value string) {
	if c.foldBy < 0 {
		return ""
	}
	first := -1
	for i, w := range k.weight {
		switch {
		case w == 0:
		case first < 0:
			first = i
		case k.group[i] != k.group[first]:
			return ""
		}
	}
	switch column := &kept[c.foldBy]; {
	case first < 0:
		return ""
	case column.Kind == stream.String:
		return strconv.Quote(column.Strings[first])
	default:
		return strconv.FormatFloat(numberOf(column, first), 'g', -1, 64)
	}
}

// numberOf returns value i of a column of numbers.
func numberOf(c *stream.Column, i int) float64 {
	if c.Kind == stream.Int64 {
		return float64(c.Ints[i])
	}
	return c.Floats[i]
}

// hashOf returns a hash of value i. Integers hash alike in columns of any kind.
func hashOf(c *stream.Column, i int) uint64 {
	switch c.Kind {
	case stream.Int64:
		return uint64(c.Ints[i])
	case stream.Float64:
		v := c.Floats[i]
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
			return uint64(int64(v))
		}
		return math.Float64bits(v)
	}
	hash := fnv.New64a()
	hash.Write([]byte(c.Strings[i]))
	return hash.Sum64()
}

// rowWeight returns the values that determine the bits of a pass, besides the values in the columns.
func (c *responseColumns) identity() []any {
	words := []string{strings.Join(c.Targets, "\n"), c.Weights, c.FoldBy}
	if c.Classes == nil {
		return append(c.refer.identity(), []byte(strings.Join(words, "\n\n")))
	}
	words = append(append(words, c.Classes.Label), c.Classes.Names()...)
	return []any{[]byte(strings.Join(words, "\n\n")), c.Classes.Counts, c.balance}
}
