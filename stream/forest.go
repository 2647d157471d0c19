package stream

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A pass folds blocks of rows into one accumulator. Workers finish blocks in any order, shards are
// computed on different machines, and a run may be stopped and resumed. Floating-point addition is
// not associative. If partial results were combined in order of arrival, the last bits of the
// result would be random.
//
// So the order is fixed in advance, by an infinite binary tree over the block numbers 0, 1, 2, …
// Node (level, index) covers the blocks
//
//	[index·2^level, (index+1)·2^level)
//
// A block yields the accumulator of node (0, block). Once both children of a node are complete,
// left.Merge(right) combines them into the accumulator of the node, and the children are dropped:
//
//	level 2   ┌───────0───────┐       ┌─ ─ ─ ─1─ ─ ─ ─
//	level 1   ┌───0───┐   ┌───1───┐   ┌───2───┐   ┌─ ─
//	level 0   0       1   2       3   4       5   6
//
// After blocks 0 to 6, in any order, the forest holds (2,0), (1,2) and (0,6). The accumulator of a
// node depends only on the blocks below it, since the same merges always produce it. Finish
// combines the remaining subtrees from right to left; which subtrees remain depends only on the
// number of blocks.
//
// Blocks that arrive roughly in order leave about 2·log₂(blocks) subtrees. In the worst order,
// every second block, none combine and there are blocks/2. The subtrees also record which blocks
// have been added, so no second set can disagree with them.
//
// The forest is thus the running state of a pass, its checkpoint, and the result of a shard.
// MergeState adds the subtrees of another forest, and merges them with their siblings. The bits of
// the result depend only on where rows were cut into blocks.

// Accumulator is the result that a pass folds blocks into. A is the implementing type itself,
// usually a pointer. One goroutine at a time uses an accumulator. Accumulators of one pass must not
// share mutable data.
type Accumulator[A any] interface {
	// Merge appends later, whose rows follow those of the receiver. later is not used afterwards
	// and the receiver may take its memory, unless later is a [Resetter]: then it is reset and
	// reused. After an error neither may be used.
	Merge(later A) error
	// MarshalBinary returns the exact state of the accumulator. The caller owns the result.
	MarshalBinary() ([]byte, error)
	// UnmarshalBinary replaces the state of an empty accumulator by one that MarshalBinary wrote.
	// It must not keep data.
	UnmarshalBinary(data []byte) error
}

// Named is an accumulator with a name that identifies its checkpoints. Without one the Go type
// does, and renaming the type invalidates them.
type Named interface{ Name() string }

// Forest is the state of a pass: partial accumulators of type A and the blocks they cover. Add,
// Blocks and MarshalBinary may be called concurrently, for different blocks; other methods may not.
// If Merge of an accumulator fails, Add, MergeState and Finish return its error, and the forest
// must not be used further.
type Forest[A Accumulator[A]] struct {
	newAcc  func() A
	release func(A) // receives each merged accumulator, for reuse

	mergeLock   sync.RWMutex // read-locked while subtrees are out of trees for merging
	mu          sync.Mutex
	trees       map[node]A // complete subtrees, no two of them siblings
	blocks      int64      // leaves of all trees
	mergeFailed bool       // a merge failed and lost blocks
}

// errMergeFailed is returned by MarshalBinary after a failed merge.
var errMergeFailed = errors.New("a merge failed, and the state of the pass lacks blocks")

// node is a node of the tree over block numbers.
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

// NewForest returns the state of a pass without blocks. newAcc returns an empty accumulator.
func NewForest[A Accumulator[A]](newAcc func() A) *Forest[A] {
	return &Forest[A]{newAcc: newAcc, release: func(A) {}, trees: make(map[node]A)}
}

// Add adds the accumulator a of a single block. The caller must not use a afterwards. A block may
// be added only once. Add panics unless 0 ≤ block < 2⁶².
func (f *Forest[A]) Add(block int64, a A) error {
	_, err := f.addBlock(block, a)
	return err
}

// addBlock implements Add. With an error it also returns the node whose merge failed.
func (f *Forest[A]) addBlock(block int64, a A) (node, error) {
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
	return f.insert(at, a)
}

// insert adds a subtree that overlaps no other, and merges siblings upwards as long as both exist.
// If two siblings are inserted concurrently, the second call finds the first. So the inserting
// goroutines do all merges of a pass.
func (f *Forest[A]) insert(at node, a A) (node, error) {
	f.mergeLock.RLock()
	defer f.mergeLock.RUnlock()
	more := int64(1) << at.level
	for {
		other, ok := f.putOrTakeSibling(at, a, more)
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
			f.mergeFailed = true
			f.mu.Unlock()
			return at, fmt.Errorf("blocks %d to %d: %w", at.first(), at.last(), err)
		}
		f.release(right)
		a, more = left, 0
	}
}

// putOrTakeSibling stores a subtree with the given number of new blocks or, if its sibling is
// stored, removes and returns the sibling.
func (f *Forest[A]) putOrTakeSibling(at node, a A, blocks int64) (sibling A, ok bool) {
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

// covers reports whether n or an ancestor of n is a subtree of the forest.
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

// Blocks returns the number of blocks added.
func (f *Forest[A]) Blocks() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.blocks
}

// nodes returns the roots of the subtrees from left to right.
func (f *Forest[A]) nodes() []node {
	nodes := make([]node, 0, len(f.trees))
	for n := range f.trees {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Compare(a.first(), b.first()) })
	return nodes
}

// Finish returns the accumulator of a pass over blocks blocks, and empties the forest. Unless
// exactly the blocks 0..blocks-1 were added, it returns an error with the first missing or surplus
// block, and the forest is unchanged. Zero blocks give an empty accumulator.
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

// checkComplete returns an error unless the ordered nodes cover exactly the blocks 0..blocks-1.
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
//	16      8     size of the state of its accumulator in bytes
//	24      …     the state
const (
	forestMagic   = "NyFo"
	forestVersion = 1
	forestHeader  = 16
	treeHeader    = 24
)

// MarshalBinary returns the state of the pass. It waits for merges in progress, and fails if a
// merge has failed.
func (f *Forest[A]) MarshalBinary() ([]byte, error) {
	f.mergeLock.Lock()
	defer f.mergeLock.Unlock()
	if f.mergeFailed {
		return nil, errMergeFailed
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

// MergeState merges a state that MarshalBinary wrote into the forest, one subtree at a time. The
// caller makes sure that the forest has none of its blocks. MergeState returns an error for corrupt
// data; the forest may then hold part of the state.
func (f *Forest[A]) MergeState(data []byte) error {
	return eachTree(data, func(n node, state []byte) error {
		a := f.newAcc()
		if err := a.UnmarshalBinary(state); err != nil {
			return fmt.Errorf("blocks %d to %d: %w", n.first(), n.last(), err)
		}
		_, err := f.insert(n, a)
		return err
	})
}

// eachTree calls do for each subtree of a state, from left to right.
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
