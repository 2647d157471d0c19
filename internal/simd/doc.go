// Package simd implements the few hot primitives: tiles of inner products and distances between two
// sets of rows with kernel profiles, matrix products, triangular solves, and elementary functions
// of slices.
//
// Every primitive is one exported function in a file of its own (tile.go, vector.go, …). It uses
// the fastest path of the machine, chosen once before main starts. The reference implementation in
// plain Go is in a file ending in _go.go beside it; it is always compiled and always tested,
// whatever the machine.
//
// # Guarantees of every implementation
//
//   - An entry of a tile depends on its two rows alone: never on its position,
//     the shape of the tile, or how the tile was cut into blocks. The sum over
//     the columns has one fixed order.
//   - The value for the rows (x, y) has the same bits as for (y, x).
//   - Finite rows never give NaN: sums that overflow are recomputed with
//     scaled rows (see [Fill]).
//
// Implementations may differ from each other in the last bits; a process uses only one.
//
// The reference rounds every product before adding it (explicit float64 conversions in the loops
// forbid fused multiply-adds), so it gives the same bits on every architecture.
package simd
