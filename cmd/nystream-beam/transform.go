package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	t := &transformPart{Path: *nystream, Output: out, Of: *shards, AtOnce: *atOnce}
	for i := 0; i < len(args); i++ {
		switch word := args[i]; {
		case word == "-o" || word == "--output":
			i++
		case !strings.HasPrefix(word, "-o=") && !strings.HasPrefix(word, "--output="):
			t.Args = append(t.Args, word)
		}
	}
	if t.Folder, err = os.Getwd(); err != nil {
		return err
	}
	p, scope := beam.NewPipelineWithRoot()
	beam.ParDo0(scope, t, beam.Reshuffle(scope, beam.CreateList(scope, numbers(*shards))))
	return runPipeline(ctx, p, "transform")
}

// transformPart embeds a part of the rows.
type transformPart struct {
	Path   string   // of nystream, "" to look for it
	Args   []string // without the output
	Output string   // with a * for the number
	Of     int
	Folder string
	AtOnce int
}

// ProcessElement takes the number of the part. A part that is done again replaces its file.
func (t *transformPart) ProcessElement(ctx context.Context, number string) error {
	leave, err := place(ctx, t.AtOnce)
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
	out, err := work(ctx, t.Folder, t.Path, slices.Concat(own, t.Args))
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
