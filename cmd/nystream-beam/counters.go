package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

// counted are the counters of a pipeline, which its runner shows while it is under way.
const counted = "nystream"

func count(ctx context.Context, name string, n int64) { beam.NewCounter(counted, name).Inc(ctx, n) }

// runPipeline runs a pipeline, and tells what its counters say.
func runPipeline(ctx context.Context, p *beam.Pipeline, what string) error {
	began := time.Now()
	result, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return err
	}
	if result != nil {
		tell(os.Stderr, what, time.Since(began), result)
	}
	return nil
}

func tell(w io.Writer, what string, took time.Duration, result beam.PipelineResult) {
	var words []string
	for _, c := range result.Metrics().AllMetrics().Counters() {
		if c.Namespace() == counted {
			words = append(words, fmt.Sprintf("%s %d", strings.ReplaceAll(c.Name(), "_", " "), c.Result()))
		}
	}
	slices.Sort(words)
	fmt.Fprintf(w, "nystream-beam: %s: %s, %.1f s\n", what, strings.Join(words, ", "), took.Seconds())
}
