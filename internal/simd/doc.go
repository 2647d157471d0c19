// Package simd holds the few primitives in which Nystream spends its time: the
// tiles of inner products and distances between two sets of rows, and the
// exponential over a slice.
//
// Every primitive is one exported function in a file of its own (tile.go,
// exp.go, …). It calls the implementation held by a package variable, which is
// set once before main starts and never changes afterwards. The reference
// implementation in plain Go sits beside it in a file ending in _go.go; it is
// always compiled and always tested, whatever the machine.
//
// # What every implementation promises
//
//   - The value of a tile's entry depends on its two rows alone: never on its
//     place in the tile, the shape of the tile, or how the tile was cut into
//     blocks. The sum over the columns runs in one fixed order.
//   - The value for the rows (x, y) has the same bits as for (y, x).
//   - Finite rows never give NaN: sums that overflow on the way are computed
//     again with scaled rows (see [Fill]).
//
// Different implementations may differ in the last bits from each other; within
// one process only one is used.
//
// The reference rounds every product before adding it (the explicit float64
// conversions in the loops forbid fused multiply-adds), so it gives the same
// bits on every architecture.
package simd
