package column

import (
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// Encoder encodes rows in a format. It writes to the io.Writer it was started with, and does not
// close it. One goroutine uses it at a time. It holds only memory, so it needs no Close and may
// simply be dropped.
type Encoder interface {
	// Encode appends the first n rows of b, which has the shape of the schema. It does not keep b.
	// After an error the encoder must not be used, and its output is invalid.
	Encode(b *stream.Batch, n int) error
	// Finish writes the rest. It is called once, after the last row.
	Finish() error
}

// Flusher is an [Encoder] that can write buffered rows before it is finished.
type Flusher interface {
	Flush() error
}

// describer is an encoder of a format that can store metadata.
type describer interface {
	// Describe adds names and texts to the file, sorted by name. It is called before the first
	// Encode.
	Describe(about map[string]string) error
}

// Describe adds names and texts to the file of an encoder, if its format supports metadata.
func Describe(e Encoder, about map[string]string) error {
	if d, ok := e.(describer); ok && len(about) > 0 {
		return d.Describe(about)
	}
	return nil
}

// StartEncoder begins a file or a pipe with the columns, kept columns and number of rows of s.
// s.Name is its name in messages.
type StartEncoder func(out io.Writer, s stream.Info) (Encoder, error)

// ErrNoColumns reports a file without columns.
var ErrNoColumns = fault.New("there are no columns").WithRemedy("choose some")
