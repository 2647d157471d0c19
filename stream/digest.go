package stream

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// digestOf returns the digest of a previous digest and values. It panics if a value is neither a
// matrix nor a slice of fixed-size numbers.
func digestOf(before string, values []any) string {
	sum := sha256.New()
	put := func(v any) {
		if err := binary.Write(sum, binary.LittleEndian, v); err != nil {
			panic(fmt.Sprintf("stream: given a %T", v))
		}
	}
	put([]byte(before))
	for _, v := range values {
		m, ok := v.(blas64.General)
		if !ok {
			put([]int64{-1, int64(binary.Size(v))})
			put(v)
			continue
		}
		put([]int64{int64(m.Rows), int64(m.Cols)})
		for i := range m.Rows {
			put(matrix.Row(m, i))
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
