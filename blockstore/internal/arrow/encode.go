package arrow

import (
	"io"
	"iter"

	"github.com/apache/arrow/go/v16/arrow"
	"github.com/apache/arrow/go/v16/arrow/ipc"
)

// Encode writes records as a stream, each before it requests the next, and the schema with the
// first. It returns the first error: of the sequence, of a record that does not match the schema,
// or of out. After an error the stream has no end mark.
func Encode(out io.Writer, schema *arrow.Schema, records iter.Seq2[arrow.Record, error]) (err error) {
	open := &valve{Writer: out}
	w := ipc.NewWriter(open, ipc.WithSchema(schema))
	for record, failed := range records {
		if err = failed; err == nil {
			err = w.Write(record)
		}
		if err != nil {
			open.shut = true
			_ = w.Close() // releases dictionaries
			return err
		}
	}
	return w.Close()
}

// valve is a writer that can be shut off.
type valve struct {
	io.Writer
	shut bool
}

func (v *valve) Write(p []byte) (int, error) {
	if v.shut {
		return 0, io.ErrClosedPipe
	}
	return v.Writer.Write(p)
}
