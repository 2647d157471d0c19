// Package sketch holds the two kinds of small objects a pass is made of.
//
// # Operators
//
// A sketch operator is a random linear map from many coordinates to few:
// [SparseSign], [RowSign], [Sample]. It is a plain value. Each of
// its entries is a pure function of shape, rule and seed, computed by the
// counter-based generator behind [Random], so any part of it looks the same
// whoever produces it, in whatever order, on however many machines. Operators
// never change and may be shared between goroutines.
//
// # Accumulators
//
// An accumulator is what a pass folds blocks into: [QR], [WhitenedGram], [PairQR], [Gram],
// [ColumnSums], a [Sum] of whatever the caller adds, and [Both] and [List]
// of others. Its life is
//
//	new → Add* → Merge* → finish
//
// Add folds in the next rows. a.Merge(b) appends b, whose rows come after those
// of a; b may be taken apart by this and must not be used afterwards. The
// finished result is read by methods named after what they return (R, Matrix,
// Sum), and it does not end the accumulator's life. MarshalBinary and
// UnmarshalBinary move an accumulator between processes bit for bit; see the
// section on the serial form. Accumulators are not safe for concurrent use.
//
// The result of an accumulator depends on where the rows were cut into blocks
// and on the shape of the tree in which the parts were merged, as every
// floating-point sum does. Package stream fixes both.
//
// # Errors
//
// A wrong shape is a mistake of the caller and panics. Add refuses a NaN or an
// infinity with a [*NonFiniteError], which names row and column inside the
// block, and leaves the accumulator as it was. When finite input overflows
// float64 on the way, Add or Merge returns an error that says so, and the
// accumulator is of no further use.
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
// and nothing after it; Both and List write the states of their parts, each behind its
// length (8 bytes). A state can only be read into an accumulator that was
// made with the same shape, so that hostile bytes cannot ask for memory. There
// is no checksum: the file around it has one.
package sketch
