package sketch

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
)

// philox4x32 is the bijection Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3" (SC 2011): ten rounds turn a counter into 128 random bits under a
// key.
func philox4x32(ctr [4]uint32, key [2]uint32) [4]uint32 {
	const rounds = 10
	for range rounds {
		hi0, lo0 := bits.Mul32(0xD2511F53, ctr[0])
		hi1, lo1 := bits.Mul32(0xCD9E8D57, ctr[2])
		ctr = [4]uint32{hi1 ^ ctr[1] ^ key[0], lo1, hi0 ^ ctr[3] ^ key[1], lo0}
		key[0] += 0x9E3779B9 // golden ratio
		key[1] += 0xBB67AE85 // √3 − 1
	}
	return ctr
}

// Random is a source of random numbers: a pure function from an item number to a sequence of draws.
// Sources with equal seed and purpose are equal; another seed or purpose gives independent numbers.
type Random struct {
	key [2]uint32
}

// NewRandom returns the source of random numbers for a seed and a purpose. The purpose describes
// the use of the numbers ("landmarks", "core points"), so that two uses of one seed never share
// randomness.
func NewRandom(seed uint64, purpose string) Random {
	h := fnv.New64a()
	h.Write([]byte(purpose)) // never fails
	mixed := philox4x32(counterWords(seed, h.Sum64()), [2]uint32{})
	return Random{key: [2]uint32{mixed[0], mixed[1]}}
}

// At returns the draws of an item, such as a row or entry number.
func (s Random) At(item uint64) Draws {
	return Draws{key: s.key, item: item}
}

// Choose returns k distinct numbers of 0..n-1 in the order drawn. Every ordered choice is equally
// likely, and a choice of fewer numbers is a prefix of one of more. It panics unless 0 ≤ k ≤ n.
// Time and memory are O(k): a Fisher–Yates shuffle that stores only moved entries.
func (s Random) Choose(n int64, k int) []int64 {
	if k < 0 || int64(k) > n {
		panic(fmt.Sprintf("sketch: cannot choose %d of %d numbers", k, n))
	}
	d := s.At(0)
	moved := make(map[int64]int64, k)
	at := func(i int64) int64 {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	chosen := make([]int64, k)
	for i := range chosen {
		i64 := int64(i)
		j := i64 + int64(d.Uint64n(uint64(n-i64)))
		chosen[i] = at(j)
		moved[j] = at(i64)
		delete(moved, i64) // position i is not visited again
	}
	return chosen
}

// Draws is the random sequence of one item of a [Random]. A copy continues independently from the
// same position. The sequence has 2⁶⁴ blocks of 128 bits; the counter of block b is (item, b).
type Draws struct {
	key   [2]uint32
	item  uint64
	block uint64  // number of the next block
	half  uint64  // second half of the last block
	spare bool    // half has not been used yet
	next  float64 // second normal of the last pair
	pair  bool    // next has not been used yet
}

// Uint64 returns 64 random bits.
func (d *Draws) Uint64() uint64 {
	if d.spare {
		d.spare = false
		return d.half
	}
	b := philox4x32(counterWords(d.item, d.block), d.key)
	d.block++
	d.half, d.spare = uint64(b[3])<<32|uint64(b[2]), true
	return uint64(b[1])<<32 | uint64(b[0])
}

// Uint64n returns a number in 0..n-1, all equally likely: the high word of n times a random 64-bit
// number, redrawn in the rare case that the low word falls into the biased range (Lemire 2019,
// "Fast random integer generation in an interval", Algorithm 5). It panics if n is 0.
func (d *Draws) Uint64n(n uint64) uint64 {
	if n == 0 {
		panic("sketch: a random number below 0 was asked for")
	}
	surplus := -n % n // 2⁶⁴ mod n
	for {
		hi, lo := bits.Mul64(d.Uint64(), n)
		if lo >= surplus {
			return hi
		}
	}
}

// Float64 returns a uniform multiple of 2⁻⁵³ in [0, 1).
func (d *Draws) Float64() float64 {
	return float64(d.Uint64()>>11) * 0x1p-53
}

// Sign returns +1 or −1, equally likely.
func (d *Draws) Sign() float64 {
	return 1 - 2*float64(d.Uint64()>>63)
}

// Normal returns a standard normal number (Box and Muller 1958). The largest
// magnitude it can return is √(106·ln 2) ≈ 8.6.
func (d *Draws) Normal() float64 {
	if d.pair {
		d.pair = false
		return d.next
	}
	radius := math.Sqrt(-2 * math.Log(1-d.Float64())) // 1−u is in (0, 1]
	sin, cos := math.Sincos(2 * math.Pi * d.Float64())
	d.next, d.pair = radius*sin, true
	return radius * cos
}

// counterWords splits a counter into four words: lo in words 0 and 1, hi in words 2 and 3.
func counterWords(lo, hi uint64) [4]uint32 {
	return [4]uint32{uint32(lo), uint32(lo >> 32), uint32(hi), uint32(hi >> 32)}
}
