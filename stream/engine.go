package stream

import (
	"fmt"
	"iter"
	"runtime"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Engine says how passes run. The zero value is ready to use. No field changes
// a result except BlockRows, which is part of the problem, not of the machine, and Part,
// which leaves out rows.
type Engine struct {
	// Threads is the number of workers; 0 means one per processor. See [Engine.Workers]
	// for the most.
	Threads int
	// BlockRows is the size B of a grid block; 0 means a size that depends on
	// the dimension alone, see [BlockRows].
	BlockRows int
	// ReaderBytes is how much memory the readers of a pass may hold together,
	// see [Info]; 0 means a quarter of Memory, or 1 GiB without a limit. Where that is too
	// little for one reader for each worker there is a single one.
	ReaderBytes int64
	// Memory is the most bytes that a fit may need by its plan; 0 means no limit. A fit that needs more returns an
	// [*OverBudgetError] before it reads a row. What a source holds itself, such as a matrix, is not in a plan.
	Memory int64
	// Progress, if not nil, is told how far a pass is. It is called on the
	// goroutine that runs the pass, after each block.
	Progress func(Event)
	// Note, if not nil, is told sentences for the user about what a fit adjusts. It is called on one
	// goroutine at a time.
	Note func(sentence string)
	// Stall is how long a single read of a file may make no progress before a pass gives
	// it up; 0 means 30 s. A pipe may wait for ever.
	Stall time.Duration
	// Part of Parts, counted from 1, is what Map does of the blocks of a source whose number
	// of rows is known; the rows keep their numbers. Parts is 0 for all. A [Run] has parts
	// of its own, for folds.
	Part, Parts int
	// Run, if not nil, keeps the states of folds, and answers folds from states.
	Run *Run

	fit   string    // see For
	given string    // digest of what Given was told
	kept  bool      // see WithKept
	wide  wideSizes // for tests
}

// For returns the engine for the passes of one fit: a text with the method, its parameters and the kernel, one
// to a line. States of another text are refused, with the first line that differs. Of a fit within
// another both texts count.
func (e Engine) For(fit string) Engine {
	if e.fit != "" {
		fit = e.fit + "\n" + fit
	}
	e.fit = fit
	return e
}

// Given returns the engine for passes whose results depend on matrices, and on slices of
// numbers of a fixed size, besides the rows that they read: landmarks that were fetched,
// labels. States that were made with others are refused. Settings, which For has, and results of
// earlier passes need not be given.
func (e Engine) Given(values ...any) Engine {
	if e.Run != nil {
		e.given = digestOf(e.given, values)
	}
	return e
}

// WithKept returns the engine for passes whose blocks carry the kept columns of the source. States that
// were made with other values in them are refused.
func (e Engine) WithKept() Engine {
	e.kept = true
	return e
}

// Event reports progress of a pass.
type Event struct {
	Pass  string // what the pass is for
	Done  int64  // units of work done: rows, or tiles of an exact pass
	Total int64  // units in all, or -1 when unknown
}

// BlockRows returns the default size of a grid block for rows of dimension d: a
// power of two between 256 and 8192 for which a block takes about 2 MiB.
func BlockRows(d int) int {
	const target = 2 << 20
	b := 8192
	for b > 256 && b*d*8 > target {
		b /= 2
	}
	return b
}

// Workers returns the number of workers that a pass uses. More than a few for each
// processor gain nothing and each holds memory: no more than four for each are used,
// or 32 where that is more.
func (e Engine) Workers() int {
	processors := runtime.GOMAXPROCS(0)
	if e.Threads > 0 {
		return min(e.Threads, max(32, 4*processors))
	}
	return processors
}

// Readers returns the most readers that a pass over a source opens: one for each worker if
// it opens in the middle at little cost and memory suffices, otherwise one.
func (e Engine) Readers(info Info) int {
	most := e.ReaderBytes
	if most == 0 && e.Memory > 0 {
		most = e.Memory / 4
	} else if most == 0 {
		most = 1 << 30
	}
	if info.Rows < 0 || info.OnePass || info.SeekCost <= 0 || info.ReaderBytes > most/int64(e.Workers()) {
		return 1
	}
	return e.Workers()
}

// stall returns the time after which a read is given up.
func (e Engine) stall() time.Duration {
	if e.Stall > 0 {
		return e.Stall
	}
	return stallLimit
}

// PartRows returns how many rows of a source Map reads: those of a part, if the engine does
// one, or all; -1 if their number is not known.
func (e Engine) PartRows(info Info) int64 {
	if e.Parts == 0 || info.Rows < 0 {
		return info.Rows
	}
	r, b := e.partBlocks(info), int64(e.blockRows(len(info.Columns)))
	return min(info.Rows, r.end*b) - min(info.Rows, r.first*b)
}

// partBlocks returns the blocks that Map reads.
func (e Engine) partBlocks(info Info) blockRange {
	if e.Parts == 0 {
		return allBlocks[0]
	}
	if info.Rows < 0 || e.Part < 1 || e.Part > e.Parts {
		panic(fmt.Sprintf("stream: part %d of %d of %d rows", e.Part, e.Parts, info.Rows))
	}
	b := int64(e.blockRows(len(info.Columns)))
	return cutBlocks((info.Rows+b-1)/b, e.Part, e.Parts)
}

func (e Engine) blockRows(d int) int {
	if e.BlockRows > 0 {
		return e.BlockRows
	}
	return BlockRows(d)
}

func (e Engine) report(name string, done, total int64) {
	if e.Progress != nil {
		e.Progress(Event{name, done, total})
	}
}

// Block is consecutive rows of a source on the grid. It belongs to the engine:
// a worker may use it until its function returns.
type Block struct {
	Index int64          // number of the block on the grid
	Start int64          // number of its first row: Index·B
	X     blas64.General // the rows: B of them, fewer in the last block
	Kept  []Column       // kept columns, when the pass asked for them

	batch Batch // for reading X and Kept
}

// Panels cuts a block into panels of at most rows rows, each given with the
// index in the block of its first row.
func (b *Block) Panels(rows int) iter.Seq2[int, blas64.General] {
	return func(yield func(int, blas64.General) bool) {
		for first := 0; first < b.X.Rows; first += rows {
			if !yield(first, matrix.Rows(b.X, first, min(rows, b.X.Rows-first))) {
				return
			}
		}
	}
}

// RowSlice returns the matrix of n rows of m from the given row on, sharing its memory. It panics if m has no such
// rows.
func RowSlice(m blas64.General, first, n int) blas64.General { return matrix.Rows(m, first, n) }

// NewMatrix allocates a rows×cols matrix of zeros, without gaps between its rows.
func NewMatrix(rows, cols int) blas64.General { return matrix.New(rows, cols) }

// wideSizes are the rows of leaves and blocks, if they are not the usual ones.
type wideSizes struct{ leaf, block int }
