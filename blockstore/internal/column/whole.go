package column

import (
	"math/big"

	"github.com/nystream/nystream/stream/logical"
)

// Days returns the day since 1970 that contains v in the given unit.
func Days(v int64, unit logical.Unit) int64 {
	if unit == logical.NoUnit {
		return v
	}
	return floor(v, secondsPerDay*unit.PerSecond())
}

// TwosComplement returns v in two's complement, most significant byte first, and false if it does
// not fit in size bytes.
func TwosComplement(v *big.Int, size int) ([]byte, bool) {
	if v.Sign() < 0 {
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
		if v.Sign() < 0 || v.BitLen() < 8*size {
			return nil, false
		}
	} else if v.BitLen() > 8*size-1 {
		return nil, false
	}
	return v.FillBytes(make([]byte, size)), true
}
