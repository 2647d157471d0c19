package stream

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/opening"
	"github.com/nystream/nystream/internal/simd"
)

// foldKey is everything that decides the bits of a fold, and the fingerprint of the
// rows that it is over. States of one fold have equal keys. The caller adds Identity, and the solvers
// Fit: method, parameters and kernel.
type foldKey struct {
	Arithmetic  string            `json:"arithmetic"` // processors and builds differ in the last bits
	Identity    string            `json:"identity"`
	Fit         string            `json:"fit,omitempty"` // see Engine.For
	Fold        int               `json:"fold"`          // counted from 1
	Pass        string            `json:"pass"`
	Rows        int64             `json:"rows"`
	Columns     []string          `json:"columns"`
	Sample      string            `json:"sample"`             // digest of some rows
	Versions    map[string]string `json:"versions,omitempty"` // see Info
	BlockRows   int               `json:"block_rows"`
	Accumulator string            `json:"accumulator"` // its name, see Named, or its type
	Fresh       string            `json:"fresh"`       // digest of one that has seen nothing
	Given       string            `json:"given"`       // see Engine.Given
	Earlier     string            `json:"earlier"`     // digest of the results of the folds before
}

// newKey returns the key of the next fold of the run. fresh is an accumulator that has
// seen nothing.
func newKey[A Accumulator[A]](ctx context.Context, e Engine, name string, src Source, fresh A) (*foldKey, error) {
	state, err := fresh.MarshalBinary()
	if err != nil {
		return nil, err
	}
	sample, err := e.Run.fingerprint(ctx, src, e.kept)
	if err != nil {
		return nil, err
	}
	info := src.Info()
	return &foldKey{
		Arithmetic:  simd.Active().String() + " on " + runtime.GOARCH + builtWith(),
		Identity:    e.Run.identity,
		Fit:         e.fit,
		Fold:        e.Run.folds + 1,
		Pass:        name,
		Rows:        info.Rows,
		Columns:     withCategories(info),
		Sample:      sample,
		Versions:    info.Versions,
		BlockRows:   e.blockRows(len(info.Columns)),
		Accumulator: accumulatorName(fresh),
		Fresh:       digest(state),
		Given:       e.given,
		Earlier:     hex.EncodeToString(e.Run.earlier[:]),
	}, nil
}

// accumulatorName returns the name of an accumulator, or its type if it has none.
func accumulatorName(a any) string {
	if n, is := a.(Named); is {
		return n.Name()
	}
	return fmt.Sprintf("%T", a)
}

// builtWith names what decides the bits of a build, see buildWords.
var builtWith = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return buildWords(runtime.Version(), info)
})

// buildWords names what decides the last bits of the same source code: the versions of Go
// and gonum, and settings of the compiler, which fuses products and sums with some of them.
func buildWords(version string, info *debug.BuildInfo) string {
	words := ", " + version
	if info == nil {
		return words
	}
	for _, s := range info.Settings {
		if slices.Contains([]string{"GOAMD64", "GOARM64", "GOEXPERIMENT", "-tags", "-gcflags"}, s.Key) {
			words += ", " + s.Key + "=" + s.Value
		}
	}
	for _, m := range info.Deps {
		if m.Path == "gonum.org/v1/gonum" {
			if m.Replace != nil {
				m = m.Replace
			}
			words += ", " + m.Path + " " + m.Version
		}
	}
	return words
}

// blocks returns the number of blocks of the pass.
func (k *foldKey) blocks() int64 {
	b := int64(k.BlockRows)
	return k.Rows/b + min(1, k.Rows%b)
}

// difference says what the state with key k was made for that a fold with key want is
// not, or returns "".
func (k *foldKey) difference(want *foldKey) string {
	switch {
	case k.Arithmetic != want.Arithmetic:
		return fmt.Sprintf("it was made with arithmetic of %s, and this is %s: results differ in the last bits", k.Arithmetic, want.Arithmetic)
	case k.Identity != want.Identity:
		was, is := differentLine(k.Identity, want.Identity)
		return fmt.Sprintf("it was made with %s, and this is with %s", was, is)
	case k.Rows != want.Rows:
		return fmt.Sprintf("it is of a source with %d rows, and this has %d", k.Rows, want.Rows)
	case !slices.Equal(k.Columns, want.Columns):
		return fmt.Sprintf("it is of a source with columns %s, and this has %s", shortList(k.Columns), shortList(want.Columns))
	case k.Fit != want.Fit:
		was, is := differentLine(k.Fit, want.Fit)
		return fmt.Sprintf("it was made with %s, and this is with %s", was, is)
	case k.Fold != want.Fold || k.Pass != want.Pass:
		return fmt.Sprintf("it is of pass %d (%s), and this is pass %d (%s)", k.Fold, k.Pass, want.Fold, want.Pass)
	case k.Sample != want.Sample:
		return "it is of other rows: the source is another, or has changed"
	case otherVersion(k.Versions, want.Versions) != "":
		return otherVersion(k.Versions, want.Versions) + " is another file, or has changed"
	case k.BlockRows != want.BlockRows:
		return fmt.Sprintf("it has blocks of %d rows, and this has blocks of %d", k.BlockRows, want.BlockRows)
	case k.Accumulator != want.Accumulator:
		return fmt.Sprintf("it holds a %s, and this needs a %s: another version of the program made it", k.Accumulator, want.Accumulator)
	case k.Fresh != want.Fresh:
		return "its accumulators are of another size"
	case k.Given != want.Given:
		return "it was made with other landmarks, labels or weights: the source is another, or has changed"
	case k.Earlier != want.Earlier:
		return "it was made after other results of earlier passes"
	}
	return ""
}

// otherVersion returns the name of a file of which there are two versions, or "".
func otherVersion(a, b map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if v, ok := b[name]; ok && v != a[name] {
			return name
		}
	}
	return ""
}

// differentLine returns the first lines in which two texts differ.
func differentLine(a, b string) (string, string) {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(x), len(y)) {
		var left, right string
		if i < len(x) {
			left = x[i]
		}
		if i < len(y) {
			right = y[i]
		}
		if left != right {
			return lineOrNothing(left), lineOrNothing(right)
		}
	}
	return "", ""
}

func lineOrNothing(line string) string {
	if line == "" {
		return "nothing in its place"
	}
	return fmt.Sprintf("%q", line)
}

// shortList returns a few names of a list.
func shortList(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// sampledRows is how many rows the fingerprint of a source looks at.
const sampledRows = 32

// fingerprint returns a digest of rows of a source, as a pass sees them: at equal
// distances, the first and the last among them. Together with the number of rows and
// the columns it tells one source from another, wherever the files are. It notices a
// source that is longer or shorter, is in another order, or is prepared in another
// way, and nearly always one with other values; not a change of a few rows that are
// none of these.
//
// Of a source that cannot begin in the middle the first rows are taken. kept says that kept columns
// matter; those of categories always do.
func (r *Run) fingerprint(ctx context.Context, src Source, kept bool) (string, error) {
	known := reflect.ValueOf(src).Comparable()
	if known {
		if print, ok := r.prints[printed{src, kept}]; ok {
			return print, nil
		}
	}
	info := src.Info()
	rows := sampleOf(info)
	x := matrix.New(len(rows), len(info.Columns))
	batch := &Batch{X: x}
	if kept || hasCategories(info) {
		batch.Kept = info.NewKept()
	}
	var err error
	if info.SeekCost > 0 {
		err = Gather(opening.Look(ctx), src, rows, batch)
	} else {
		_, err = ReadRows(ctx, src, 0, batch)
	}
	if err != nil {
		return "", err
	}
	data := make([]byte, 0, 8*len(rows)*(1+x.Cols))
	for i, n := range rows {
		data = binary.LittleEndian.AppendUint64(data, uint64(n))
		for _, v := range matrix.Row(x, i) {
			if v != v {
				v = math.NaN() // a null has other bits in another format
			}
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		for k := range batch.Kept {
			if kept || info.Kept[k].Category {
				data = batch.Kept[k].appendValue(data, i)
			}
		}
	}
	print := digest(data)
	if known {
		r.prints[printed{src, kept}] = print
	}
	return print, nil
}

// sampleOf returns the numbers of the rows of a fingerprint.
func sampleOf(info Info) []int64 {
	n := min(sampledRows, info.Rows)
	rows := make([]int64, n)
	for i := range rows {
		rows[i] = int64(i)
		if info.SeekCost > 0 && n > 1 {
			whole, rest := (info.Rows-1)/(n-1), (info.Rows-1)%(n-1)
			rows[i] = whole*int64(i) + rest*int64(i)/(n-1)
		}
	}
	return rows
}
