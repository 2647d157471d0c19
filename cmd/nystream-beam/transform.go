package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn2x1[context.Context, string, error](&transformPart{})
}

// transform embeds the rows of files, a part for each of as many outputs. One after the
// other they are what nystream transform writes.
func transform(ctx context.Context, args []string) error {
	args, err := take(args)
	if err != nil {
		return err
	}
	out := valueOf(args, "-o", "--output")
	if strings.Count(out, "*") != 1 {
		return errors.New("-o wants a name with a * for the number of the part, such as -o 'out-*.parquet'")
	}
	path, err := command("")
	if err != nil {
		return err
	}
	t := &transformPart{Output: out, Of: *shards}
	if t.Worker, err = newWorker(path); err != nil {
		return err
	}
	for i := 0; i < len(args); i++ {
		switch word := args[i]; {
		case word == "-o" || word == "--output":
			i++
		case !strings.HasPrefix(word, "-o=") && !strings.HasPrefix(word, "--output="):
			t.Args = append(t.Args, word)
		}
	}
	p, scope := beam.NewPipelineWithRoot()
	beam.ParDo0(scope, t, beam.Reshuffle(scope, beam.CreateList(scope, numbers(*shards))))
	return runPipeline(ctx, p, "transform")
}

// transformPart embeds a part of the rows.
type transformPart struct {
	Worker worker
	Args   []string // without the output
	Output string   // with a * for the number
	Of     int
}

// ProcessElement takes the number of the part. A part that is done again replaces its file.
func (t *transformPart) ProcessElement(ctx context.Context, number string) error {
	leave, err := place(ctx, t.Worker.AtOnce)
	if err != nil {
		return err
	}
	defer leave()
	part, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	name := strings.Replace(t.Output, "*", fmt.Sprintf("%05d-of-%05d", part, t.Of), 1)
	own := []string{"transform", "--quiet", "--format=json", fmt.Sprintf("--shard=%d/%d", part, t.Of), "--output=" + name}
	out, err := t.Worker.run(ctx, slices.Concat(own, t.Args))
	if err != nil {
		return fmt.Errorf("part %d of %d: %w", part, t.Of, err)
	}
	var report struct {
		Rows int64 `json:"rows"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return fmt.Errorf("nystream printed %q: %w", out, err)
	}
	count(ctx, "parts", 1)
	count(ctx, "rows", report.Rows)
	return nil
}
