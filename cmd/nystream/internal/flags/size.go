package flags

import (
	"errors"
	"strconv"

	"github.com/dustin/go-humanize"
)

// Size is the value of a flag for a number of bytes.
type Size int64

// Set parses sizes such as 512MiB, 2GB, 1000000.
func (s *Size) Set(text string) error {
	v, err := humanize.ParseBytes(text)
	if err != nil || v > 1<<62 {
		return errors.New("is not a size; write it as 512MiB, 2GB or a number of bytes")
	}
	*s = Size(v)
	return nil
}

func (s *Size) String() string {
	if *s == 0 {
		return ""
	}
	return humanize.IBytes(uint64(*s))
}

// Type returns the name of the value in help.
func (s *Size) Type() string { return "size" }

// Exact returns the size in bytes.
func (s *Size) Exact() string { return strconv.FormatInt(int64(*s), 10) }
