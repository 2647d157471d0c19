package rows

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/stream"
)

// maxKeptBytes is the largest size, in bytes, of rows of small files held in memory, over all sources.
const maxKeptBytes = 32 << 20

// LimitBatches limits a batch of an Arrow stream from a pipe to the part of --memory outside a budget. in may be nil.
func LimitBatches(a *app.App, b *stream.Budget, in *Input) {
	if in != nil && a.Memory > 0 {
		in.Files.LimitBatches(int64(a.Memory)-b.Total(), int64(a.Memory))
	}
}

// Keep allows the rows of small files to stay in memory after they were read for gathering. They take at most a quarter
// of the part of --memory outside a budget, which does not include them. Inputs may be nil.
func Keep(a *app.App, b *stream.Budget, inputs ...*Input) {
	most := int64(maxKeptBytes)
	if a.Memory > 0 {
		most = min(most, max(0, int64(a.Memory)-b.Total())/4)
	}
	for _, in := range inputs {
		if in != nil {
			in.Files.Keep(most / int64(len(inputs)))
		}
	}
}
