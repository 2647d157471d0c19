package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/stream"
)

// ismTaskFlags say what W is for.
type ismTaskFlags struct {
	paradigm                     choice
	target, targetKernel, scores string
	given                        string
	mu                           float64
	relative                     bool
	clusters                     int
}

func (t *ismTaskFlags) add(cmd *cobra.Command, d *dataFlags) {
	f := cmd.Flags()
	addChoice(cmd, &t.paradigm, "paradigm", "what is known, and what is looked for",
		ism.Supervised.String(), ism.Unsupervised.String(), ism.SemiSupervised.String(), ism.Alternative.String())
	f.Lookup("label").Usage = "`column` or file of the classes of the rows; several columns of 0 and 1, with commas, for rows of several classes"
	f.StringVar(&t.target, "target", "", "`columns` or file of real numbers that W is to tell, instead of --label")
	f.StringVar(&t.targetKernel, "target-kernel", "rbf(gamma=median)", "`kernel` between --target of two rows; nystream help kernels lists them")
	f.StringVar(&t.scores, "scores", "", "`columns` or file of scores, for --paradigm semisupervised")
	f.StringVar(&t.given, "given-label", "", "`column` or file of classes to differ from, for --paradigm alternative")
	f.Float64Var(&t.mu, "mu", 1, "`weight` of --scores or --given-label beside the clusters")
	f.BoolVar(&t.relative, "relative", false, "divide scores or given labels, and clusters, by their norms first, so that --mu 1 weighs them alike")
	f.IntVar(&t.clusters, "clusters", 0, "`number` of clusters; that of the classes of --label if not given")
	columns := func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return d.completeColumns(args, typed)
	}
	for _, flag := range []string{"target", "scores", "given-label"} {
		mustRegister(cmd.RegisterFlagCompletionFunc(flag, columns))
	}
	mustRegister(cmd.RegisterFlagCompletionFunc("target-kernel", completeKernels))
}

// paradigmOf is the paradigm that the flags name; the word was checked when it was
// set.
func (t *ismTaskFlags) paradigmOf() ism.Paradigm {
	p, _ := ism.ParseParadigm(t.paradigm.value)
	return p
}

// aside is what a flag says of each row: columns of DATA, or the columns of a file.
type aside struct {
	flag    string
	columns []string
	file    string // not of DATA
}

// newAside reads the value of a flag. A value that ends like a data file, and of which
// there is one, is a file.
func newAside(flag, value string) aside {
	extension := strings.TrimPrefix(strings.ToLower(filepath.Ext(value)), ".")
	if slices.Contains(dataExtensions, extension) || strings.ContainsRune(value, filepath.Separator) {
		if info, err := os.Stat(value); err == nil && info.Mode().IsRegular() {
			return aside{flag: flag, file: value}
		}
	}
	return aside{flag: flag, columns: trimmed(strings.Split(value, ","))}
}

// named says what the values are of, for messages.
func (s aside) named() string {
	if s.file != "" {
		return s.flag + " " + s.file
	}
	return s.flag + " " + strings.Join(s.columns, ",")
}

// inData replaces numbers of columns by their names, where no column is called so.
func (s aside) inData(columns []blockstore.ColumnInfo) (aside, error) {
	s.columns = slices.Clone(s.columns)
	for i, name := range s.columns {
		number, err := strconv.Atoi(name)
		if err != nil || slices.ContainsFunc(columns, func(c blockstore.ColumnInfo) bool { return c.Name == name }) {
			continue
		}
		if number < 0 || number >= len(columns) {
			return s, usagef("%s: there is no column %d; they are numbered from 0 to %d", s.flag, number, len(columns)-1)
		}
		s.columns[i] = columns[number].Name
	}
	return s, nil
}

// asideValues are the values of one flag: a column for each name.
type asideValues struct {
	aside
	source string // for messages
	values []stream.Column
}

// rows is how many rows there are values for.
func (v *asideValues) rows() int { return v.values[0].Len() }

// classes are the values of the only column as numbers of classes, in ascending order
// of their values, and the names of the classes.
func (v *asideValues) classes() (labels []int, names []string, err error) {
	if len(v.values) != 1 {
		return nil, nil, usagef("%s: %d columns; classes are in one", v.named(), len(v.values))
	}
	c := &v.values[0]
	if err := v.checkWhole(); err != nil {
		return nil, nil, err
	}
	switch c.Kind {
	case stream.Int64:
		labels, names = numberClasses(c.Ints, func(v int64) string { return strconv.FormatInt(v, 10) })
	case stream.Float64:
		labels, names = numberClasses(c.Floats, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) })
	default:
		labels, names = numberClasses(c.Strings, func(v string) string { return v })
	}
	switch n := len(names); {
	case n == 1:
		return nil, nil, fromData(fmt.Errorf("%s: %s has the same value %q in all %s rows; two classes are the least", v.source, v.named(), names[0], show.Count(int64(len(labels)))))
	case n > mostClasses:
		return nil, nil, fromData(fmt.Errorf("%s: %s has %s different values in %s rows, more than %d classes; for numbers that are measured use --target", v.source, v.named(), show.Count(int64(n)), show.Count(int64(len(labels))), mostClasses))
	}
	return labels, names, nil
}

// mostClasses is how many classes a label may have.
const mostClasses = 1000

// numberClasses numbers values in ascending order.
func numberClasses[T int64 | float64 | string](values []T, text func(T) string) (labels []int, names []string) {
	seen := make(map[T]int)
	for _, v := range values {
		seen[v] = 0
	}
	known := make([]T, 0, len(seen))
	for v := range seen {
		known = append(known, v)
	}
	slices.Sort(known)
	for i, v := range known {
		seen[v] = i
		names = append(names, text(v))
	}
	labels = make([]int, len(values))
	for i, v := range values {
		labels[i] = seen[v]
	}
	return labels, names
}

// numbers are the values as a matrix, a row for each row.
func (v *asideValues) numbers() (blas64.General, error) {
	m := stream.NewMatrix(v.rows(), len(v.values))
	if err := v.checkWhole(); err != nil {
		return m, err
	}
	for k := range v.values {
		c := &v.values[k]
		for i := range m.Rows {
			switch c.Kind {
			case stream.Int64:
				m.Data[i*m.Stride+k] = float64(c.Ints[i])
			case stream.Float64:
				m.Data[i*m.Stride+k] = c.Floats[i]
			default:
				return m, fromData(fmt.Errorf("%s: column %s of %s holds text, and numbers are wanted", v.source, v.columns[k], v.flag))
			}
		}
	}
	return m, nil
}

// checkWhole refuses nulls and numbers that are not finite.
func (v *asideValues) checkWhole() error {
	for k := range v.values {
		c := &v.values[k]
		for i := range c.Len() {
			reason := ""
			switch {
			case c.Null(i) || c.Kind == stream.String && c.Strings[i] == "":
				reason = "nothing is there, and " + v.flag + " needs a value in each row; leave such rows out of the data"
			case c.Kind == stream.Float64 && c.Floats[i]-c.Floats[i] != 0:
				reason = fmt.Sprintf("is %v, and %s needs finite numbers", c.Floats[i], v.flag)
			default:
				continue
			}
			return &stream.BadValueError{Source: v.source, Row: int64(i), Column: v.columns[k], Reason: reason}
		}
	}
	return nil
}
