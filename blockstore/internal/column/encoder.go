package column

import (
	"io"

	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
)

// Encoder turns rows into the bytes of a format. It writes to the io.Writer that it was started
// with, and does not close it. One goroutine uses it at a time. It has no Close: what it holds is
// memory, and an encoder that is given up is dropped.
type Encoder interface {
	// Encode appends the first n rows of b, which has the shape of the schema.
	// It does not keep b. After an error nothing more comes, and what was written is of no use.
	Encode(b *stream.Batch, n int) error
	// Finish writes what is left. It is called once, after the last row.
	Finish() error
}

// Flusher is an [Encoder] that can send what it holds before it is finished.
type Flusher interface {
	Flush() error
}

// describer is an encoder of a format whose files have a place for what they say of
// themselves.
type describer interface {
	// Describe adds names and texts to the file, in the order of the names. Nothing has been
	// encoded before.
	Describe(about map[string]string) error
}

// Describe adds names and texts to a file that has begun, where its format has a place.
func Describe(e Encoder, about map[string]string) error {
	if d, ok := e.(describer); ok && len(about) > 0 {
		return d.Describe(about)
	}
	return nil
}

// StartEncoder begins a file or a pipe, which messages call s.Name. Columns, kept columns and
// number of rows are those of s.
type StartEncoder func(out io.Writer, s stream.Info) (Encoder, error)

// ErrNoColumns is the error of a file that would hold nothing.
var ErrNoColumns = fault.New("there are no columns").Do("choose some")
