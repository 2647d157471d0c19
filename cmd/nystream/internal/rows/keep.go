package rows

import (
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/stream"
)

// mostKept is the most memory, in bytes, that the rows of small files may take for all sources.
const mostKept = 32 << 20

// LimitBatches lets a batch of an Arrow stream from a pipe take what a budget leaves of --memory. in may be nil.
func LimitBatches(a *app.App, b *stream.Budget, in *Input) {
	if in != nil && a.Memory > 0 {
		in.Files.LimitBatches(int64(a.Memory)-b.Total(), int64(a.Memory))
	}
}

// Keep lets the rows of small files stay in memory when they were read to fetch some of them. They take at most a quarter
// of what a budget leaves of --memory, since a budget has no place for them. Inputs may be nil.
func Keep(a *app.App, b *stream.Budget, inputs ...*Input) {
	most := int64(mostKept)
	if a.Memory > 0 {
		most = min(most, max(0, int64(a.Memory)-b.Total())/4)
	}
	for _, in := range inputs {
		if in != nil {
			in.Files.Keep(most / int64(len(inputs)))
		}
	}
}
