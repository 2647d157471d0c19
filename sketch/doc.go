// Package sketch provides random sketching operators, and the accumulators that passes fold blocks
// of rows into.
//
// # Operators
//
// A sketch operator is a random linear map from many coordinates to few: [SparseSign], [RowSign],
// [Sample]. Each entry is a pure function of shape, rule and seed, computed by the counter-based
// generator [Random]. Any part of an operator is therefore the same in every process, in whatever
// order it is computed. Operators never change and may be shared between goroutines.
//
// # Accumulators
//
// A pass folds blocks into an accumulator: [QR], [WhitenedGram], [PairQR], [Gram], [ColumnSums],
// [Priority], a [Sum] of caller-defined terms, or a [Both] or [List] of others. The order of calls
// is
//
//	new → Add* → Merge* → finish
//
// Add folds in the next rows. a.Merge(b) appends b, whose rows follow those of a; it may reuse the
// memory of b, which must not be used afterwards. Methods such as R, Matrix and Sum return the
// current result; more calls of Add and Merge may follow. MarshalBinary and UnmarshalBinary move an
// accumulator between processes bit for bit, in the serial form below. Accumulators are not safe
// for concurrent use.
//
// As for any floating-point sum, the result depends on where the rows were cut into blocks and on
// the tree in which partial accumulators were merged. Package stream fixes both.
//
// # Errors
//
// A wrong shape is a programming error and panics. For a NaN or an infinity Add returns a
// [*NonFiniteError] with row and column inside the block, and leaves the accumulator unchanged. If
// finite input overflows float64, Add or Merge returns an error, and the accumulator must not be
// used further.
//
// # Serial form
//
// All numbers are little-endian. Every accumulator writes
//
//	offset  size  content
//	0       4     magic "NySk"
//	4       2     kind: 1 QR, 2 PairQR, 3 Gram, 6 Sum,
//	              7 ColumnSums, 8 Priority, 9 WhitenedGram
//	6       2     version of the layout, now 1
//	8       8·k   shape: k unsigned integers, fixed by the kind
//	…       8·m   values: m float64, their number given by the shape
//
// and nothing after it. Both and List write the states of their parts, each preceded by its length
// (8 bytes). A state can only be read into an accumulator of the same shape, so corrupt bytes
// cannot request memory. There is no checksum: the enclosing file has one.
package sketch
