package verb

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// openKernelMatrix opens samples for a model of a kernel matrix between n samples: that n×n matrix, or rows with the
// entries of a sample as a source followed by those as a target. The rows may be new samples.
func openKernelMatrix(ctx context.Context, f *saved.File, t *application, n int, paths []string) (*modelInput, error) {
	explain := t.data.WithIndexBase(f.Data.Base())
	in, err := t.data.Open(ctx, t.app, paths)
	if err != nil {
		return nil, explain(err)
	}
	out := &modelInput{Input: in, source: in, fields: in.Info().Kept, dropped: func() int64 { return 0 }}
	if len(out.fields) > 0 {
		out.kept = func(b *stream.Block, _ int) []stream.Column { return b.Kept }
	}
	switch columns, rows := len(in.Info().Columns), in.Info().Rows; {
	case columns == 2*n:
		return out, nil
	case columns != n || rows != int64(n):
		in.Close()
		return nil, stream.NewDataError(in.Info().Name, "it has %d columns, and the model is of a kernel matrix between %d samples", columns, n).
			WithRemedy("it takes that matrix, or for each sample %d numbers: K(x, x_j) for all j, and behind them K(x_j, x)", 2*n)
	case t.data.Keeps():
		in.Close()
		return nil, flags.Usagef("--label and --keep: the columns of a square kernel matrix are its samples; put labels and kept columns into another file")
	}
	// The matrix as it is read, and beside it [k kᵀ].
	out.extraNumbers = 3 * int64(n) * int64(n)
	if t.app.Memory > 0 && 8*out.extraNumbers > int64(t.app.Memory) { // it is read before the rest is planned
		in.Close()
		return nil, &stream.OverBudgetError{Need: 8 * out.extraNumbers, Limit: int64(t.app.Memory)}
	}
	k, err := stream.ReadAll(ctx, in)
	if err != nil {
		return nil, err
	}
	out.source = stream.FromMatrix(in.Info().Name, withTranspose(k))
	return out, nil
}

// withTranspose returns [k kᵀ].
func withTranspose(k blas64.General) blas64.General {
	both := matrix.New(k.Rows, 2*k.Cols)
	for i := range k.Rows {
		copy(both.Data[i*both.Stride:], matrix.Row(k, i))
		for j := range k.Cols {
			both.Data[j*both.Stride+k.Cols+i] = k.Data[i*k.Stride+j]
		}
	}
	return both
}
