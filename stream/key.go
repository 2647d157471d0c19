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

// foldKey holds everything that determines the bits of a fold, and the fingerprint of its rows.
// States of one fold have equal keys. The caller sets Identity, and the solvers Fit: method,
// parameters and kernel.
type foldKey struct {
	Arithmetic  string            `json:"arithmetic"` // processors and builds differ in the last bits
	Identity    string            `json:"identity"`
	Fit         string            `json:"fit,omitempty"` // see Engine.ForFit
	Fold        int               `json:"fold"`          // counted from 1
	Pass        string            `json:"pass"`
	Rows        int64             `json:"rows"`
	Columns     []string          `json:"columns"`
	Sample      string            `json:"sample"`             // digest of some rows
	Versions    map[string]string `json:"versions,omitempty"` // see Info
	BlockRows   int               `json:"block_rows"`
	Accumulator string            `json:"accumulator"` // its name, see Named, or its Go type
	Fresh       string            `json:"fresh"`       // digest of an empty accumulator
	Given       string            `json:"given"`       // see Engine.WithInputs
	Earlier     string            `json:"earlier"`     // digest of the results of earlier folds
}

// newKey returns the key of the next fold of the run. fresh is an empty accumulator.
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
		Arithmetic:  simd.Active().String() + " on " + runtime.GOARCH + buildDescription(),
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
		Given:       e.givenDigest,
		Earlier:     hex.EncodeToString(e.Run.resultsDigest[:]),
	}, nil
}

// accumulatorName returns the name of an accumulator, or its Go type if it has none.
func accumulatorName(a any) string {
	if n, is := a.(Named); is {
		return n.Name()
	}
	return fmt.Sprintf("%T", a)
}

// buildDescription describes the properties of this build that affect bits, see describeBuild.
var buildDescription = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return describeBuild(runtime.Version(), info)
})

// describeBuild describes what affects the last bits of the same source code: the versions of Go
// and gonum, and compiler settings, some of which fuse products with sums.
func describeBuild(version string, info *debug.BuildInfo) string {
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

// difference describes the first difference between the key k of a state and the key want of a
// fold. It returns "" if there is none.
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
		return fmt.Sprintf("it is of a source with columns %s, and this has %s", abbreviate(k.Columns), abbreviate(want.Columns))
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

// otherVersion returns the name of a file whose versions differ, or "".
func otherVersion(a, b map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if v, ok := b[name]; ok && v != a[name] {
			return name
		}
	}
	return ""
}

// differentLine returns the first pair of lines in which two texts differ.
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

// abbreviate lists a few of the names.
func abbreviate(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// sampledRows is the number of rows in a fingerprint.
const sampledRows = 32

// fingerprint returns a digest of rows of a source, as a pass sees them: equidistant rows,
// including the first and the last. Together with the number of rows and the columns it identifies
// a source, wherever the files are. It detects another length, another order, another preparation
// and nearly always other values. It misses a change of a few rows that does none of these.
//
// If seeking is expensive the first rows are used. kept includes the kept columns; categories are
// always included.
func (r *Run) fingerprint(ctx context.Context, src Source, kept bool) (string, error) {
	known := reflect.ValueOf(src).Comparable()
	if known {
		if print, ok := r.fingerprints[fingerprintKey{src, kept}]; ok {
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
				v = math.NaN() // the bits of NaN for a null depend on the format
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
		r.fingerprints[fingerprintKey{src, kept}] = print
	}
	return print, nil
}

// sampleOf returns the row numbers of a fingerprint.
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
