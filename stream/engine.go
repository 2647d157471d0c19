package stream

import (
	"fmt"
	"iter"
	"runtime"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Engine configures passes. The zero value is ready to use. No field changes a result except
// BlockRows, which belongs to the problem rather than to the machine, and Part, which restricts the
// rows.
type Engine struct {
	// Threads is the number of workers; 0 means one per processor. [Engine.Workers] limits it.
	Threads int
	// BlockRows is the size B of a grid block; 0 means a size that depends only on the dimension,
	// see [BlockRows].
	BlockRows int
	// ReaderBytes bounds the memory of all readers of a pass together, see [Info]; 0 means a
	// quarter of Memory, or 1 GiB without a limit. A pass uses a single reader if the bound is too
	// small for one per worker.
	ReaderBytes int64
	// Memory bounds the planned memory of a fit in bytes; 0 means no limit. A fit that needs more
	// returns an [*OverBudgetError] before it reads a row. Memory owned by the source, such as a
	// matrix, does not count.
	Memory int64
	// Progress, if not nil, is called after each block with the progress of the pass, on the
	// goroutine that runs the pass.
	Progress func(Event)
	// Note, if not nil, receives a sentence for the user whenever a fit adjusts something. Calls do
	// not overlap.
	Note func(sentence string)
	// Stall is the time after which a pass abandons a read of a file without progress; 0 means 30
	// s. Reads of pipes may wait forever.
	Stall time.Duration
	// Part restricts Map to one of Parts parts of the blocks, counted from 1, of a source with a
	// known number of rows. Rows keep their numbers. Parts is 0 for all blocks. For folds see
	// [RunOptions].
	Part, Parts int
	// Run, if not nil, stores the states of folds, and resumes folds from stored states.
	Run *Run

	fit         string    // see For
	givenDigest string    // digest of the arguments of Given
	kept        bool      // see WithKept
	wide        wideSizes // for tests
}

// ForFit returns the engine for the passes of one fit. The text describes the fit, one item per line:
// method, parameters, kernel. States with another text are rejected; the error quotes the first
// line that differs. Texts of nested fits are concatenated.
func (e Engine) ForFit(fit string) Engine {
	if e.fit != "" {
		fit = e.fit + "\n" + fit
	}
	e.fit = fit
	return e
}

// WithInputs returns the engine for passes whose results depend on more than the rows they read: on
// matrices and slices of fixed-size numbers, such as landmarks or labels. States made with other
// values are rejected. Settings, which belong to ForFit, and results of earlier passes need not be
// given.
func (e Engine) WithInputs(values ...any) Engine {
	if e.Run != nil {
		e.givenDigest = digestOf(e.givenDigest, values)
	}
	return e
}

// WithKept returns the engine for passes whose blocks carry the kept columns of the source. States
// made with other values in these columns are rejected.
func (e Engine) WithKept() Engine {
	e.kept = true
	return e
}

// Event reports progress of a pass.
type Event struct {
	Pass  string // purpose of the pass
	Done  int64  // units of work done: rows, or tiles of an exact pass
	Total int64  // units in all, or -1 when unknown
}

// BlockRows returns the default size of a grid block for rows of dimension d: a power of two
// between 256 and 8192, such that a block takes about 2 MiB.
func BlockRows(d int) int {
	const target = 2 << 20
	b := 8192
	for b > 256 && b*d*8 > target {
		b /= 2
	}
	return b
}

// Workers returns the number of workers of a pass. It is at most four per processor or 32,
// whichever is larger: more workers gain no speed and hold memory.
func (e Engine) Workers() int {
	processors := runtime.GOMAXPROCS(0)
	if e.Threads > 0 {
		return min(e.Threads, max(32, 4*processors))
	}
	return processors
}

// Readers returns the maximal number of readers that a pass over a source opens: one per worker if
// seeking is cheap and memory suffices, otherwise one.
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

// stall returns the time after which a read is abandoned.
func (e Engine) stall() time.Duration {
	if e.Stall > 0 {
		return e.Stall
	}
	return stallLimit
}

// PartRows returns the number of rows of a source that Map reads: those of the part, or all without
// parts. It is -1 if unknown.
func (e Engine) PartRows(info Info) int64 {
	if e.Parts == 0 || info.Rows < 0 {
		return info.Rows
	}
	r, b := e.partBlocks(info), int64(e.blockRows(len(info.Columns)))
	return min(info.Rows, r.end*b) - min(info.Rows, r.first*b)
}

// partBlocks returns the range of blocks that Map reads.
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

// Block holds consecutive rows of a source, cut on the grid. It belongs to the engine: a worker may
// use it until its function returns.
type Block struct {
	Index int64          // number of the block on the grid
	Start int64          // number of its first row: Index·B
	X     blas64.General // the rows: B of them, fewer in the last block
	Kept  []Column       // kept columns, if the pass requested them

	batch Batch // for reading X and Kept
}

// Panels cuts a block into panels of at most rows rows. It yields each panel with the index of its
// first row in the block.
func (b *Block) Panels(rows int) iter.Seq2[int, blas64.General] {
	return func(yield func(int, blas64.General) bool) {
		for first := 0; first < b.X.Rows; first += rows {
			if !yield(first, matrix.Rows(b.X, first, min(rows, b.X.Rows-first))) {
				return
			}
		}
	}
}

// RowSlice returns rows first..first+n-1 of m, sharing memory. It panics if m does not have them.
func RowSlice(m blas64.General, first, n int) blas64.General { return matrix.Rows(m, first, n) }

// NewMatrix returns a contiguous rows×cols matrix of zeros.
func NewMatrix(rows, cols int) blas64.General { return matrix.New(rows, cols) }

// wideSizes overrides the number of rows of leaves and blocks in wide folds. Zero means the
// default.
type wideSizes struct{ leaf, block int }
