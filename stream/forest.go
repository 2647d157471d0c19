package stream

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A pass folds blocks of rows into one accumulator. Workers finish blocks in any
// order, shards are made on different machines, a run is stopped and resumed;
// and floating-point addition is not associative. If parts were combined in the
// order in which they happen to be ready, the last bits of the result would
// depend on the weather.
//
// So the order is fixed beforehand. Over the block numbers 0, 1, 2, … stands one
// infinite binary tree. Node (level, index) covers the blocks
//
//	[index·2^level, (index+1)·2^level)
//
// A block makes the accumulator of node (0, block). As soon as both halves of a
// node are there, and only then, they are combined by left.Merge(right) into the
// accumulator of the node, and the halves are forgotten:
//
//	level 2   ┌───────0───────┐       ┌─ ─ ─ ─1─ ─ ─ ─
//	level 1   ┌───0───┐   ┌───1───┐   ┌───2───┐   ┌─ ─
//	level 0   0       1   2       3   4       5   6
//
// After blocks 0 to 6, in any order, the forest holds (2,0), (1,2) and (0,6).
// What a node holds depends on the blocks below it alone, since the merges that
// made it are always the same. Finish combines the complete subtrees that are
// left, from the right to the left, and which those are depends on the number of
// blocks alone.
//
// Blocks that arrive roughly in order leave about 2·log₂(blocks) subtrees. In
// the worst order, every second block, none can be combined and there are
// blocks/2. The subtrees also say which blocks have been seen: no second set is
// kept that could disagree with them.
//
// The forest is thus at once the running state of a pass, its checkpoint, and
// the result of a shard. Taking the state of another forest puts its subtrees into
// this one, where they meet their siblings. The last bits depend on where rows were
// cut into blocks and on nothing else.

// Accumulator is what a pass folds blocks into. A is the type itself, as a
// rule a pointer. One goroutine uses an accumulator at a time; accumulators of
// one pass share nothing that they write to.
type Accumulator[A any] interface {
	// Merge appends what later has seen, which comes after what the receiver
	// has seen. later is not used afterwards, and the receiver may take its
	// memory, unless it is a [Resetter]: then later is reset and used again.
	// After an error both are of no further use.
	Merge(later A) error
	// MarshalBinary writes the state of the accumulator, bit for bit. The
	// caller owns the result.
	MarshalBinary() ([]byte, error)
	// UnmarshalBinary replaces the state of a fresh accumulator by one that
	// MarshalBinary wrote. It must not keep data.
	UnmarshalBinary(data []byte) error
}

// Named is an accumulator whose checkpoints are known by a name, and not by that of its Go type: a rename of
// the type does not end them.
type Named interface{ Name() string }

// Forest is the state of a pass: partial accumulators of type A and the blocks
// they have seen. Add, Blocks and MarshalBinary may be called at the same time, for
// different blocks; the other methods may not. When Merge of an accumulator fails,
// Add, Take and Finish return its error and the forest is of no further use.
type Forest[A Accumulator[A]] struct {
	newAcc func() A
	spent  func(A) // gets accumulators that were merged into others

	growing sync.RWMutex // held for reading while subtrees are out of trees to be merged
	mu      sync.Mutex
	trees   map[node]A // complete subtrees, no two of them siblings
	blocks  int64      // leaves of all trees
	lost    bool       // a merge failed, and with it blocks
}

// errLost is returned by MarshalBinary after a merge failed.
var errLost = errors.New("a merge failed, and the state of the pass lacks blocks")

// node is a place in the tree over block numbers.
type node struct {
	level uint8
	index int64
}

// maxLevel is the highest level: (62, 0) covers the blocks 0..2⁶²-1.
const maxLevel = 62

func (n node) first() int64  { return n.index << n.level }
func (n node) last() int64   { return n.first() + 1<<n.level - 1 }
func (n node) parent() node  { return node{n.level + 1, n.index >> 1} }
func (n node) sibling() node { return node{n.level, n.index ^ 1} }
func (n node) isRight() bool { return n.index&1 == 1 }

// NewForest returns the state of a pass that has seen no block. newAcc makes an
// accumulator that has seen nothing.
func NewForest[A Accumulator[A]](newAcc func() A) *Forest[A] {
	return &Forest[A]{newAcc: newAcc, spent: func(A) {}, trees: make(map[node]A)}
}

// Add takes in a, which has seen exactly the given block and is not used by the
// caller afterwards. A block may be added once. Block numbers run from 0 to
// 2⁶²-1; another number panics.
func (f *Forest[A]) Add(block int64, a A) error {
	_, err := f.grow(block, a)
	return err
}

// grow returns Add. Of an error it also returns the node that could not be made.
func (f *Forest[A]) grow(block int64, a A) (node, error) {
	at := node{0, block}
	if block < 0 || block >= 1<<maxLevel {
		panic(fmt.Sprintf("stream: there is no block %d", block))
	}
	f.mu.Lock()
	seen := f.covers(at)
	f.mu.Unlock()
	if seen {
		return at, fmt.Errorf("block %d was added before", block)
	}
	return f.plant(at, a)
}

// plant puts in a subtree that no other overlaps, and combines siblings as far
// up as they are both there. Of two siblings that are planted at the same time the
// second finds the first, so that the merges of a pass are made by those who plant.
func (f *Forest[A]) plant(at node, a A) (node, error) {
	f.growing.RLock()
	defer f.growing.RUnlock()
	more := int64(1) << at.level
	for {
		other, ok := f.leave(at, a, more)
		if !ok {
			return at, nil
		}
		left, right := a, other
		if at.isRight() {
			left, right = other, a
		}
		at = at.parent()
		if err := left.Merge(right); err != nil {
			f.mu.Lock()
			f.lost = true
			f.mu.Unlock()
			return at, fmt.Errorf("blocks %d to %d: %w", at.first(), at.last(), err)
		}
		f.spent(right)
		a, more = left, 0
	}
}

// leave puts a subtree into the forest, or, if its sibling is there, takes that out. It
// counts so many new blocks.
func (f *Forest[A]) leave(at node, a A, blocks int64) (sibling A, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blocks += blocks
	if at.level < maxLevel {
		sibling, ok = f.trees[at.sibling()]
	}
	if ok {
		delete(f.trees, at.sibling())
		return sibling, true
	}
	f.trees[at] = a
	return sibling, false
}

// covers reports whether n or a node above it is a subtree of the forest.
func (f *Forest[A]) covers(n node) bool {
	for {
		if _, ok := f.trees[n]; ok {
			return true
		}
		if n.level >= maxLevel {
			return false
		}
		n = n.parent()
	}
}

// Blocks returns how many blocks have been seen.
func (f *Forest[A]) Blocks() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.blocks
}

// nodes returns the subtrees from left to right.
func (f *Forest[A]) nodes() []node {
	nodes := make([]node, 0, len(f.trees))
	for n := range f.trees {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Compare(a.first(), b.first()) })
	return nodes
}

// Finish returns the accumulator of a pass of so many blocks, and leaves the
// forest empty. If not exactly the blocks 0..blocks-1 have been seen, the error
// names the first that is missing or too many and the forest stays as it was.
// No blocks give a new accumulator.
func (f *Forest[A]) Finish(blocks int64) (A, error) {
	var none A
	nodes := f.nodes()
	if err := checkComplete(nodes, blocks); err != nil {
		return none, err
	}
	if len(nodes) == 0 {
		return f.newAcc(), nil
	}
	trees := f.trees
	f.trees, f.blocks = make(map[node]A), 0
	right := trees[nodes[len(nodes)-1]]
	for _, n := range slices.Backward(nodes[:len(nodes)-1]) {
		left := trees[n]
		if err := left.Merge(right); err != nil {
			return none, fmt.Errorf("blocks %d to %d: %w", n.first(), blocks-1, err)
		}
		right = left
	}
	return right, nil
}

// checkComplete returns an error unless the nodes, in order, cover exactly the
// blocks 0..blocks-1.
func checkComplete(nodes []node, blocks int64) error {
	next := int64(0)
	for _, n := range nodes {
		if n.first() != next {
			break
		}
		next = n.last() + 1
	}
	if next < blocks {
		return fmt.Errorf("block %d of a pass of %d blocks is missing", next, blocks)
	}
	for _, n := range nodes {
		if n.last() >= blocks {
			return fmt.Errorf("block %d was added, but the pass has %d blocks", max(blocks, n.first()), blocks)
		}
	}
	return nil
}

// The serial form of a forest, all numbers little-endian:
//
//	offset  size  content
//	0       4     magic "NyFo"
//	4       4     version of the layout, now 1
//	8       8     number of subtrees
//
// and for each subtree, from left to right,
//
//	0       8     index
//	8       8     level
//	16      8     length of the state of its accumulator in bytes
//	24      …     that state
const (
	forestMagic   = "NyFo"
	forestVersion = 1
	forestHeader  = 16
	treeHeader    = 24
)

// MarshalBinary returns the state of the pass. It waits for the merges under way, and fails
// if a merge has failed.
func (f *Forest[A]) MarshalBinary() ([]byte, error) {
	f.growing.Lock()
	defer f.growing.Unlock()
	if f.lost {
		return nil, errLost
	}
	nodes := f.nodes()
	data := []byte(forestMagic)
	data = binary.LittleEndian.AppendUint32(data, forestVersion)
	data = binary.LittleEndian.AppendUint64(data, uint64(len(nodes)))
	for _, n := range nodes {
		state, err := f.trees[n].MarshalBinary()
		if err != nil {
			return nil, err
		}
		data = binary.LittleEndian.AppendUint64(data, uint64(n.index))
		data = binary.LittleEndian.AppendUint64(data, uint64(n.level))
		data = binary.LittleEndian.AppendUint64(data, uint64(len(state)))
		data = append(data, state...)
	}
	return data, nil
}

// Take merges in a state that MarshalBinary wrote, one subtree at a time. The caller checks that the forest has
// seen none of its blocks. Take returns an error for data that MarshalBinary cannot have written; the forest may
// then hold a part of the state.
func (f *Forest[A]) Take(data []byte) error {
	return eachTree(data, func(n node, state []byte) error {
		a := f.newAcc()
		if err := a.UnmarshalBinary(state); err != nil {
			return fmt.Errorf("blocks %d to %d: %w", n.first(), n.last(), err)
		}
		_, err := f.plant(n, a)
		return err
	})
}

// eachTree calls do with each subtree of a state, from left to right.
func eachTree(data []byte, do func(n node, state []byte) error) error {
	if len(data) < forestHeader || string(data[:4]) != forestMagic {
		return errors.New("not the state of a pass")
	}
	if v := binary.LittleEndian.Uint32(data[4:]); v != forestVersion {
		return fmt.Errorf("the state of the pass has version %d, this program knows version %d", v, forestVersion)
	}
	count := binary.LittleEndian.Uint64(data[8:])
	last := node{0, -1}
	data = data[forestHeader:]
	for range count {
		n, state, rest, err := nextTree(data)
		switch {
		case err != nil:
			return err
		case n.first() <= last.last():
			return fmt.Errorf("the state of the pass has block %d twice or out of order", n.first())
		case n.isRight() && n.sibling() == last:
			return fmt.Errorf("the state of the pass has two subtrees of blocks %d to %d", n.parent().first(), n.last())
		}
		if err := do(n, state); err != nil {
			return err
		}
		last, data = n, rest
	}
	if len(data) > 0 {
		return fmt.Errorf("the state of the pass has %d bytes after its last subtree", len(data))
	}
	return nil
}

// nextTree splits the first subtree off data.
func nextTree(data []byte) (n node, state, rest []byte, err error) {
	if len(data) < treeHeader {
		return n, nil, nil, errors.New("the state of the pass is cut short")
	}
	index := binary.LittleEndian.Uint64(data)
	level := binary.LittleEndian.Uint64(data[8:])
	length := binary.LittleEndian.Uint64(data[16:])
	data = data[treeHeader:]
	if level > maxLevel || index >= 1<<(maxLevel-level) {
		return n, nil, nil, fmt.Errorf("the state of the pass has a subtree at level %d, index %d", level, index)
	}
	if length > uint64(len(data)) {
		return n, nil, nil, errors.New("the state of the pass is cut short")
	}
	return node{uint8(level), int64(index)}, data[:length], data[length:], nil
}
