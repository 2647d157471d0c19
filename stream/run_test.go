package stream_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// errDisk is the error of stores and sources that fail.
var errDisk = errors.New("the disk failed")

// shelf is a store of states in memory. fail, if not nil, is called before each operation.
type shelf struct {
	states map[string][]byte
	fail   func(call string) error
	writes int
}

func newShelf() *shelf { return &shelf{states: map[string][]byte{}} }

func (s *shelf) failing(call string) error {
	if s.fail == nil {
		return nil
	}
	return s.fail(call)
}

func (s *shelf) Names() ([]string, error) {
	return slices.Collect(maps.Keys(s.states)), s.failing("names")
}

func (s *shelf) Open(name string) (io.ReadCloser, error) {
	if err := s.failing("read"); err != nil {
		return nil, err
	}
	data, ok := s.states[name]
	if !ok {
		return nil, errors.New("there is no state " + name)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (s *shelf) Write(name string, data []byte) error {
	if err := s.failing("write"); err != nil {
		return err
	}
	s.writes++
	s.states[name] = bytes.Clone(data)
	return nil
}

func (s *shelf) Remove(name string) error {
	if err := s.failing("remove"); err != nil {
		return err
	}
	delete(s.states, name)
	return nil
}

// toyFit is a fit of three folds, each of which depends on the one before: the scan of a
// preparation, column sums, and a triangular factor of the shifted rows. folded, if not nil, is
// called for each block.
type toyFit struct {
	src    stream.Source
	nulls  prepare.Nulls
	scale  prepare.Scaling
	cols   int // columns of the factor, at most those of the rows
	folded func(pass string, block int64)
}

func (f toyFit) run(ctx context.Context, e stream.Engine) ([]byte, error) {
	src, err := prepare.New(ctx, e, f.src, prepare.Treatment{Nulls: f.nulls, Scale: f.scale})
	if err != nil {
		return nil, err
	}
	d := len(src.Info().Columns)
	f.cols = min(f.cols, d) // a column without any value is dropped
	note := func(pass string, b *stream.Block) {
		if f.folded != nil {
			f.folded(pass, b.Index)
		}
	}
	all, err := stream.Fold(ctx, e, "sums", src, func() *sketch.ColumnSums { return sketch.NewColumnSums(d) },
		func() func(*sketch.ColumnSums, *stream.Block) error {
			return func(s *sketch.ColumnSums, b *stream.Block) error {
				note("sums", b)
				return s.Add(b.X)
			}
		})
	if err != nil {
		return nil, err
	}
	totals := all.Totals()
	qr, err := stream.Fold(ctx, e, "factor", src, func() *sketch.QR { return sketch.NewQR(f.cols) },
		func() func(*sketch.QR, *stream.Block) error {
			return func(qr *sketch.QR, b *stream.Block) error {
				note("factor", b)
				x := matrix.New(b.X.Rows, f.cols)
				for i := range x.Rows {
					for j := range x.Cols {
						x.Data[i*x.Stride+j] = matrix.Row(b.X, i)[j] - totals[j]/float64(2*src.Info().Rows)
					}
				}
				return qr.Add(x)
			}
		})
	if err != nil {
		return nil, err
	}
	return qr.MarshalBinary()
}

// toyData returns random rows, some of them with nulls on request.
func toyData(seed uint64, rows, cols int, nulls bool) blas64.General {
	r := rand.New(rand.NewPCG(seed, 0))
	x := matrix.New(rows, cols)
	for i := range x.Data {
		x.Data[i] = math.Ldexp(r.NormFloat64(), r.IntN(20)-10)
		if nulls && r.IntN(30) == 0 {
			x.Data[i] = math.NaN()
		}
	}
	return x
}

// runOf returns an engine whose run keeps states in the store.
func runOf(t fataler, store stream.StateStore, identity string, threads int, o stream.RunOptions) stream.Engine {
	t.Helper()
	r, err := stream.NewRun(store, identity, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return stream.Engine{Threads: threads, BlockRows: 8, Run: r}
}

// drawToyFit draws a fit, and returns its result without states.
func drawToyFit(t *rapid.T) (f toyFit, want []byte) {
	rows, cols := rapid.IntRange(1, 700).Draw(t, "rows"), rapid.IntRange(1, 3).Draw(t, "columns")
	f = toyFit{cols: cols, nulls: rapid.SampledFrom([]prepare.Nulls{prepare.NullsDrop, prepare.NullsMean, prepare.NullsZero}).Draw(t, "nulls"),
		scale: rapid.SampledFrom([]prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleMinMax}).Draw(t, "scale")}
	f.src = newTable("t", toyData(rapid.Uint64().Draw(t, "seed"), rows, cols, true))
	if rapid.Bool().Draw(t, "sequential") {
		f.src = sequential{f.src}
	}
	want, err := f.run(context.Background(), stream.Engine{Threads: 2, BlockRows: 8})
	if err != nil {
		t.Skip("a drawn fit that cannot be made; another is drawn: ", err)
	}
	return f, want
}

// inParts runs the parts of the fit on one store in the given order, round after round, and returns
// the result of the run that finishes.
func inParts(t fataler, f toyFit, store *shelf, order []int) []byte {
	t.Helper()
	ctx := context.Background()
	for round := 1; ; round++ {
		if round > 10 { // a fit has three folds
			t.Fatalf("%d parts are not done after 10 rounds", len(order))
		}
		stopped := 0
		for _, part := range order {
			o := stream.RunOptions{Part: part, Parts: len(order)}
			_, err := f.run(ctx, runOf(t, store, "toy", 1+part%3, o))
			if s := (*stream.StoppedError)(nil); errors.As(err, &s) {
				stopped++
			} else if err != nil {
				t.Fatalf("part %d of %d: %v", part, len(order), err)
			}
		}
		if stopped == 0 {
			break
		}
	}
	got, err := f.run(ctx, runOf(t, store, "toy", 2, stream.RunOptions{Finish: true}))
	if err != nil {
		t.Fatalf("finishing: %v", err)
	}
	return got
}

func TestRunInParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, want := drawToyFit(t)
		parts := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 6, 7, 8, 11, 12}).Draw(t, "parts")
		order := rapid.Permutation(order(parts)).Draw(t, "order")
		if got := inParts(t, f, newShelf(), order); !bytes.Equal(got, want) {
			t.Fatalf("%d parts give another result", parts)
		}
	})
}

// A fit that is interrupted repeatedly resumes where it stopped.
func TestRunInterrupted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, want := drawToyFit(t)
		store := newShelf()
		stops := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 8).Draw(t, "blocks until stops")
		for _, blocks := range append(stops, math.MaxInt) {
			ctx, cancel := context.WithCancel(context.Background())
			f.folded = func(string, int64) {
				if blocks--; blocks == 0 {
					cancel()
				}
			}
			o := stream.RunOptions{Every: time.Duration(rapid.IntRange(0, 1).Draw(t, "every"))}
			got, err := f.run(ctx, runOf(t, store, "toy", 1, o))
			cancel()
			switch {
			case err == nil && !bytes.Equal(got, want):
				t.Fatalf("another result")
			case err != nil && blocks > 0 || err != nil && !errors.Is(err, context.Canceled):
				t.Fatalf("%v", err)
			}
		}
	})
}

// Reading that ends within a block, by an error or an interruption, leaves no part of the block in
// a state.
func TestRunStopsWithinABlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, want := drawToyFit(t)
		rows := f.src.Info().Rows
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		broken := &breaks{Source: f.src, at: rapid.Int64Range(0, rows-1).Draw(t, "row"), opens: rapid.IntRange(0, 5).Draw(t, "opens before"), step: rapid.IntRange(1, 5).Draw(t, "rows of a read")}
		if rapid.Bool().Draw(t, "interrupted") {
			broken.interrupt = cancel
		}
		f.src = broken
		store, threads := newShelf(), rapid.IntRange(1, 3).Draw(t, "threads")
		got, err := f.run(ctx, runOf(t, store, "toy", threads, stream.RunOptions{}))
		if err != nil {
			got, err = f.run(context.Background(), runOf(t, store, "toy", threads, stream.RunOptions{}))
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("another result, error %v", err)
		}
	})
}

// breaks is a source whose reading fails once before a given row, in one of its readers.
type breaks struct {
	stream.Source
	at        int64
	opens     int // readers opened before the failing one
	step      int // maximal rows per read
	interrupt func()
	mu        sync.Mutex
}

func (s *breaks) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := s.Source.Open(ctx, first)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || first > s.at {
		return r, err
	}
	s.opens--
	return &breakingReader{Reader: r, source: s, ctx: ctx, next: first, broken: s.opens == -1}, nil
}

type breakingReader struct {
	stream.Reader
	source *breaks
	ctx    context.Context
	next   int64
	broken bool
}

func (r *breakingReader) Read(b *stream.Batch) (int, error) {
	few := stream.Batch{X: matrix.Rows(b.X, 0, min(b.X.Rows, r.source.step))}
	if r.broken {
		if r.next == r.source.at {
			if r.source.interrupt == nil {
				return 0, errDisk
			}
			r.source.interrupt()
			<-r.ctx.Done()
			return 0, r.ctx.Err()
		}
		few.X.Rows = min(few.X.Rows, int(r.source.at-r.next))
	}
	n, err := r.Reader.Read(&few)
	r.next += int64(n)
	return n, err
}

// Rows covered by a state are not read again.
func TestRunResumes(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2, scale: prepare.ScaleStandard}
	store := newShelf()
	ctx, cancel := context.WithCancel(context.Background())
	f.folded = func(pass string, block int64) {
		if pass == "factor" && block == 60 {
			cancel()
		}
	}
	if _, err := f.run(ctx, runOf(t, store, "toy", 2, stream.RunOptions{})); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	folded := map[string]int{}
	f.folded = func(pass string, _ int64) { folded[pass]++ }
	var resumed []string
	o := stream.RunOptions{Resumed: func(pass string, seen, rows int64) { resumed = append(resumed, fmt.Sprint(pass, seen == rows)) }}
	e := runOf(t, store, "toy", 1, o)
	first := int64(-1)
	e.Progress = func(v stream.Event) {
		if first < 0 {
			first = v.Done
		}
	}
	if _, err := f.run(context.Background(), e); err != nil {
		t.Fatal(err)
	}
	if folded["sums"] != 0 || folded["factor"] > 50 || folded["factor"] < 1 {
		t.Errorf("blocks folded: %v", folded)
	}
	if want := []string{"scantrue", "sumstrue", "factorfalse"}; !slices.Equal(resumed, want) {
		t.Errorf("resumed %v", resumed)
	}
	if done := int64(100-folded["factor"]+1) * 8; first != done {
		t.Errorf("progress begins with row %d of a pass with %d blocks left", first, folded["factor"])
	}
	if err := e.Run.Done(); err != nil || len(store.states) > 0 {
		t.Errorf("%d states are left, error %v", len(store.states), err)
	}
}

// A source that fails briefly while it is fingerprinted costs its states but nothing else: folds
// keep their numbers.
func TestRunUnknownSource(t *testing.T) {
	src := &failsOnce{table: newTable("t", toyData(1, 800, 2, false))}
	f := toyFit{src: src, cols: 2, scale: prepare.ScaleStandard}
	want, err := f.run(context.Background(), stream.Engine{BlockRows: 8})
	if err != nil {
		t.Fatal(err)
	}
	store := newShelf()
	for _, states := range []int{0, 3} {
		var why []error
		got, err := f.run(context.Background(), runOf(t, store, "toy", 1, stream.RunOptions{WriteFailed: func(err error) { why = append(why, err) }}))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("another result, error %v", err)
		}
		if len(store.states) != states || (states == 0) != (len(why) == 1) {
			t.Errorf("%d states, and why there are no more: %v", len(store.states), why)
		}
	}
}

// failsOnce is a table whose first Gather fails.
type failsOnce struct {
	*table
	failed bool
}

func (f *failsOnce) Gather(ctx context.Context, rows []int64, b *stream.Batch) error {
	if !f.failed {
		f.failed = true
		return errDisk
	}
	return stream.Gather(ctx, f.table, rows, b)
}

func TestRunMissing(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2}
	store := newShelf()
	ctx := context.Background()
	finish := func() error {
		_, err := f.run(ctx, runOf(t, store, "toy", 1, stream.RunOptions{Finish: true}))
		return err
	}
	checkError(t, finish(), "pass 1 (sums): no state has seen blocks 0 to 99 of 100")
	for _, part := range []int{1, 4, 5} {
		_, err := f.run(ctx, runOf(t, store, "toy", 1, stream.RunOptions{Part: part, Parts: 5}))
		checkError(t, err, fmt.Sprintf("part %d of 5 of pass 1 (sums) is done", part))
	}
	checkError(t, finish(), "pass 1 (sums): parts 2 and 3 of 5 are missing or not complete (blocks 20 to 59 of 100)")
	_, err := f.run(ctx, runOf(t, store, "toy", 1, stream.RunOptions{Part: 2, Parts: 4}))
	checkError(t, err, "state 0001-sums.1-of-5.state: it is of a pass in 5 parts, and this is part 2 of 4")
}

// Whichever operation of the store fails, the fit fails or gives the right result, and so does the
// next fit on the remaining states.
func TestRunFailingStore(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 200, 2, false)), cols: 2, scale: prepare.ScaleStandard}
	want, err := f.run(context.Background(), stream.Engine{BlockRows: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []stream.RunOptions{{}, {Every: 1}, {Part: 1, Parts: 2}, {Part: 2, Parts: 2, Every: 1}} {
		failures, successes := 0, 0
		for k := 0; ; k++ {
			store := newShelf()
			for part := range o.Parts { // earlier parts of the first fold
				if part+1 != o.Part {
					f.run(context.Background(), runOf(t, store, "toy", 1, stream.RunOptions{Part: part + 1, Parts: o.Parts}))
				}
			}
			calls, failed := 0, false
			store.fail = func(string) error {
				if calls++; calls == k+1 {
					failed = true
					return errDisk
				}
				return nil
			}
			unwritten := 0
			o.WriteFailed = func(error) { unwritten++ }
			got, err := f.run(context.Background(), runOf(t, store, "toy", 2, o))
			var stopped *stream.StoppedError
			switch {
			case err == nil && !bytes.Equal(got, want):
				t.Fatalf("call %d: another result", k)
			case err == nil && o.Parts > 0:
				t.Fatalf("call %d: a part gives the whole", k)
			case err == nil && failed && unwritten != 1:
				t.Fatalf("call %d: nobody was told that states are not written", k)
			case err == nil || errors.As(err, &stopped):
				successes++
			case !errors.Is(err, errDisk):
				t.Fatalf("call %d: %v", k, err)
			default:
				failures++
			}
			store.fail = nil
			var again []byte
			if o.Parts > 0 {
				again = inParts(t, f, store, order(o.Parts))
			} else if again, err = f.run(context.Background(), runOf(t, store, "toy", 2, o)); err != nil {
				t.Fatalf("call %d: afterwards %v", k, err)
			}
			if !bytes.Equal(again, want) {
				t.Fatalf("call %d: another result afterwards", k)
			}
			if !failed {
				break
			}
		}
		if failures == 0 || successes == 0 {
			t.Errorf("%+v: %d failures, %d successes", o, failures, successes)
		}
	}
}

func order(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

// Any damaged state is ignored and replaced.
func TestRunDamagedState(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 100, 2, false)), cols: 2}
	good := newShelf()
	want, err := f.run(context.Background(), runOf(t, good, "toy", 1, stream.RunOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	const name = "0001-sums.state"
	state := good.states[name]
	ignored := func(data []byte, reason string) {
		t.Helper()
		store := newShelf()
		store.states[name] = data
		all, err := stream.ListStates(store)
		if err != nil || len(all) != 1 || all[0].Name != name {
			t.Fatalf("listed are %v, %v", all, err)
		}
		if head := len(state) - bodyOf(state); len(data) < head || !bytes.Equal(data[:head], state[:head]) {
			checkError(t, all[0].Err, "state "+name+": ", reason)
		} else if all[0].Err != nil { // a listing reads only headers
			t.Errorf("listed as %v", all[0].Err)
		}
		var told []*stream.StateError
		o := stream.RunOptions{Ignored: func(e *stream.StateError) { told = append(told, e) }}
		got, err := f.run(context.Background(), runOf(t, store, "toy", 1, o))
		if err != nil || !bytes.Equal(got, want) || !bytes.Equal(store.states[name], state) {
			t.Fatalf("%d bytes: another result or state, error %v", len(data), err)
		}
		if len(told) != 1 || told[0].Name != name || !told[0].Damaged {
			t.Errorf("%v was told", told)
		}
	}
	for n := 0; n < len(state); n += 7 {
		ignored(state[:n], "")
	}
	ignored(state[:len(state)-1], "")
	for i := range state {
		damaged := bytes.Clone(state)
		damaged[i] ^= 1 << (i % 8)
		ignored(damaged, "")
	}
	ignored(append(bytes.Clone(state), 0), "checksum")
	ignored([]byte("something else, and longer than a header and a checksum"), "not the state of a pass")
	ignored(sealed(state, 15, 0x7f), "its header is longer than the state")
	ignored(sealed(state, 16, 'x'), "its header: ")

	store := newShelf()
	store.states[name] = sealed(state, 4, 1)
	_, err = f.run(context.Background(), runOf(t, store, "toy", 1, stream.RunOptions{}))
	checkError(t, err, "state "+name+": it has version 1, and this program knows version 4")
}

// sealed returns a state with one byte of its header changed and a matching checksum.
func sealed(state []byte, at int, value byte) []byte {
	other := bytes.Clone(state)
	end := len(state) - bodyOf(state) - sha256.Size
	other[at] = value
	sum := sha256.Sum256(other[:end])
	copy(other[end:], sum[:])
	return other
}

// bodyOf returns the size of a state after its header.
func bodyOf(state []byte) int {
	return len(state) - 16 - int(binary.LittleEndian.Uint64(state[8:])) - sha256.Size
}

// If several runs share a store, an unusable state affects only its own part, and the final error
// names it.
func TestRunOneBadPart(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2}
	ctx := context.Background()
	want, err := f.run(ctx, stream.Engine{Threads: 2, BlockRows: 8})
	if err != nil {
		t.Fatal(err)
	}
	const name = "0001-sums.3-of-5.state"
	part := func(store *shelf, identity string, part int, told *int) error {
		o := stream.RunOptions{Part: part, Parts: 5, Ignored: func(*stream.StateError) { *told++ }}
		_, err := f.run(ctx, runOf(t, store, identity, 1, o))
		return err
	}
	for _, c := range []struct {
		reason string
		spoil  func(store *shelf)
		own    string // error of the run of that part
		redone bool   // the run replaces the bad state
	}{
		{"its checksum is wrong", func(s *shelf) { s.states[name][100] ^= 1 }, "part 3 of 5 of pass 1 (sums) is done", true},
		{`it was made with "other", and this is with "toy"`, func(s *shelf) {
			delete(s.states, name)
			if err := part(s, "other", 3, new(int)); !errors.As(err, new(*stream.StoppedError)) {
				t.Fatal(err)
			}
		}, "state " + name + `: it was made with "other"`, false},
	} {
		store, told := newShelf(), 0
		for p := 1; p <= 3; p++ {
			checkError(t, part(store, "toy", p, &told), "is done")
		}
		c.spoil(store)
		told = 0
		for p := 4; p <= 5; p++ {
			checkError(t, part(store, "toy", p, &told), "is done")
		}
		if told != 2 {
			t.Errorf("%s: two parts told %d times", c.reason, told)
		}
		_, err := f.run(ctx, runOf(t, store, "toy", 1, stream.RunOptions{Finish: true}))
		checkError(t, err, "pass 1 (sums): part 3 of 5 is missing or not complete (blocks 40 to 59 of 100); state "+name+" is not used: ", c.reason)
		checkError(t, part(store, "toy", 3, &told), c.own)
		if !c.redone {
			delete(store.states, name)
		}
		if got := inParts(t, f, store, order(5)); !bytes.Equal(got, want) {
			t.Errorf("%s: another result", c.reason)
		}
	}
}

// States of anything else are rejected, with the reason.
func TestRunForeignStates(t *testing.T) {
	const cols = 2
	x := toyData(1, 300, cols, false)
	changed := func(row int) blas64.General {
		y := x
		y.Data = slices.Clone(x.Data)
		y.Data[row*y.Stride] += 1
		return y
	}
	shorter := matrix.Rows(x, 0, 299)
	renamed := newTable("t", x)
	renamed.info.Columns = []string{"x0", "width"}
	base := toyFit{src: newTable("t", x), cols: cols}
	with := func(change func(*toyFit)) toyFit {
		f := base
		change(&f)
		return f
	}
	source := func(src stream.Source) toyFit { return with(func(f *toyFit) { f.src = src }) }
	block16 := func(e stream.Engine) stream.Engine { e.BlockRows = 16; return e }
	for _, c := range []struct {
		name, identity string
		fit            toyFit
		engine         func(stream.Engine) stream.Engine
		want           string
	}{
		{name: "kernel", identity: "rank 4\nkernel rbf(gamma=2)\nseed 1", fit: base, want: `it was made with "kernel rbf(gamma=1)", and this is with "kernel rbf(gamma=2)"`},
		{name: "seed", identity: "rank 4\nkernel rbf(gamma=1)", fit: base, want: `it was made with "seed 1", and this is with nothing in its place`},
		{name: "first row", fit: source(newTable("t", changed(0))), want: "it is of other rows: the source is another, or has changed"},
		{name: "last row", fit: source(newTable("t", changed(299))), want: "it is of other rows"},
		{name: "rows", fit: source(newTable("t", shorter)), want: "it is of a source with 300 rows, and this has 299"},
		{name: "columns", fit: source(renamed), want: "it is of a source with columns x0, x1, and this has x0, width"},
		{name: "preparation", fit: with(func(f *toyFit) { f.scale = prepare.ScaleStandard }), want: "it is of pass 1 (sums), and this is pass 1 (scan)"},
		{name: "blocks", fit: base, engine: block16, want: "it has blocks of 8 rows, and this has blocks of 16"},
		{name: "size", fit: with(func(f *toyFit) { f.cols = 1 }), want: "state 0002-factor.state: its accumulators are of another size"},
		{name: "landmarks", fit: base, engine: func(e stream.Engine) stream.Engine { return e.WithInputs(x, []float64{1}) }, want: "it was made with other landmarks, labels or weights"},
		{name: "fit", fit: base, engine: func(e stream.Engine) stream.Engine { return e.ForFit("method m\nkernel k").ForFit("rank 4") }, want: `it was made with nothing in its place, and this is with "method m"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := newShelf()
			identity := "rank 4\nkernel rbf(gamma=1)\nseed 1"
			if _, err := base.run(context.Background(), runOf(t, store, identity, 1, stream.RunOptions{})); err != nil {
				t.Fatal(err)
			}
			if c.identity != "" {
				identity = c.identity
			}
			e := runOf(t, store, identity, 1, stream.RunOptions{})
			if c.engine != nil {
				e = c.engine(e)
			}
			_, err := c.fit.run(context.Background(), e)
			var refused *stream.StateError
			if !errors.As(err, &refused) {
				t.Fatalf("error %v", err)
			}
			checkError(t, err, c.want)
		})
	}
}

// The result of a fold decides whether states of later folds are accepted.
func TestRunEarlierResults(t *testing.T) {
	x := toyData(1, 300, 2, false)
	y := x
	y.Data = slices.Clone(x.Data)
	y.Data[2*5] = 7 // a row outside every fingerprint
	store := newShelf()
	for _, rows := range []blas64.General{x, y} {
		_, err := toyFit{src: newTable("t", rows), cols: 2}.run(context.Background(), runOf(t, store, "toy", 1, stream.RunOptions{}))
		if rows.Data[10] == 7 {
			checkError(t, err, "state 0002-factor.state: it was made after other results of earlier passes")
		} else if err != nil {
			t.Fatal(err)
		}
		delete(store.states, "0001-sums.state")
	}
}

func TestRunOtherArithmetic(t *testing.T) {
	paths := simd.Available()
	if len(paths) < 2 {
		t.Skip("one path only; run this on a processor with AVX2")
	}
	f := toyFit{src: newTable("t", toyData(1, 100, 2, false)), cols: 2}
	store := newShelf()
	restore := simd.Use(paths[0])
	_, err := f.run(context.Background(), runOf(t, store, "toy", 1, stream.RunOptions{}))
	restore()
	if err != nil {
		t.Fatal(err)
	}
	defer simd.Use(paths[1])()
	_, err = f.run(context.Background(), runOf(t, store, "toy", 1, stream.RunOptions{}))
	checkError(t, err, fmt.Sprintf("it was made with arithmetic of %v on %s, %s", paths[0], runtime.GOARCH, runtime.Version()), fmt.Sprintf(", and this is %v on", paths[1]))
}

// An error names the states that cover the same block.
func TestRunOverlap(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 800, 2, false)), cols: 2}
	one, two := newShelf(), newShelf()
	for _, c := range []struct {
		store       *shelf
		part, parts int
	}{{one, 1, 2}, {two, 3, 5}} {
		f.run(context.Background(), runOf(t, c.store, "toy", 1, stream.RunOptions{Part: c.part, Parts: c.parts}))
	}
	maps.Copy(one.states, two.states)
	_, err := f.run(context.Background(), runOf(t, one, "toy", 1, stream.RunOptions{Finish: true}))
	checkError(t, err, "state 0001-sums.3-of-5.state: it has seen block 40, and so has state 0001-sums.1-of-2.state: remove one of them")
}

// Sources in memory and sources that can be read only once have no states; every process folds them
// completely.
func TestRunKeepsNoStatesOfMemory(t *testing.T) {
	once := newTable("t", toyData(1, 100, 2, false))
	once.info.OnePass = true
	for _, src := range []stream.Source{stream.FromMatrix("m", toyData(1, 100, 2, false)), once} {
		for _, o := range []stream.RunOptions{{}, {Part: 1, Parts: 2}, {Finish: true}} {
			if src.Info().OnePass && (o.Parts > 0 || o.Finish) {
				continue
			}
			store := newShelf()
			e := runOf(t, store, "toy", 1, o)
			_, err := stream.Fold(context.Background(), e, "sums", src, func() *sketch.ColumnSums { return sketch.NewColumnSums(2) },
				func() func(*sketch.ColumnSums, *stream.Block) error {
					return func(s *sketch.ColumnSums, b *stream.Block) error { return s.Add(b.X) }
				})
			if err != nil || len(store.states) > 0 || e.Run.Folds() > 0 {
				t.Errorf("%s, %+v: %d states, error %v", src.Info().Name, o, len(store.states), err)
			}
		}
	}
}

func TestRunOptions(t *testing.T) {
	for _, o := range []stream.RunOptions{{Part: 1}, {Parts: -1}, {Parts: 3}, {Part: 4, Parts: 3}, {Part: 1, Parts: 3, Finish: true}, {Part: 1, Parts: 3, Join: true}, {Join: true, Finish: true}, {Every: -1}} {
		if _, err := stream.NewRun(newShelf(), "", o); err == nil {
			t.Errorf("%+v is no error", o)
		}
	}
}

// ListStates describes each state and how much of its fold it covers.
func TestListStates(t *testing.T) {
	f := toyFit{src: newTable("t", toyData(1, 100, 2, false)), cols: 2}
	store := newShelf()
	store.states["notes.txt"] = []byte("not ours")
	_, err := f.run(context.Background(), runOf(t, store, "toy", 1, stream.RunOptions{Part: 2, Parts: 2}))
	checkError(t, err, "part 2 of 2")
	all, err := stream.ListStates(store)
	want := stream.StateInfo{Name: "0001-sums.2-of-2.state", Pass: "sums", Fold: 1, Part: 2, Parts: 2, Seen: 100 - 48, Rows: 100, Identity: "toy"}
	if err != nil || len(all) != 1 || all[0] != want {
		t.Errorf("%+v, error %v", all, err)
	}
}

// The parts of a pass are consecutive, begin at multiples of a power of two, and have nearly equal
// sizes.
func TestCutBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks, parts := rapid.Int64Range(0, 1<<40).Draw(t, "blocks"), rapid.IntRange(1, 1000).Draw(t, "parts")
		next, least, most := int64(0), blocks, int64(0)
		for p := 1; p <= parts; p++ {
			first, end := stream.CutBlocks(blocks, p, parts)
			if first != next || end < first {
				t.Fatalf("part %d has blocks %d to %d, and the one before ends at %d", p, first, end, next)
			}
			next, least, most = end, min(least, end-first), max(most, end-first)
		}
		if next != blocks {
			t.Fatalf("the last part ends at %d", next)
		}
		if size := blocks / int64(parts); size >= 8 && (least < size/2 || most > 2*size) {
			t.Fatalf("parts of %d to %d blocks", least, most)
		}
	})
}
