// Nasty fits models of every family to rows that break naive codes, writes factors, and embeds
// the rows by the model, each by the command:
//
//	go run ./bench/nasty                    all, which takes some minutes
//	go run ./bench/nasty -only zeros,tiny   rows of some kinds
//
// It counts how runs ended: done; refused, with an error that the command means; and wrong. It is
// wrong to panic, to take more than a minute, to leave a file of an output that failed, to embed
// rows in numbers that are not finite, and to have values of a symmetric matrix that add up to
// more than its trace.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
)

func main() { program.Main("nasty", parse, run) }

type options struct {
	only []string
	out  string
}

func parse(args []string) (o options, err error) {
	f := program.Flags("nasty", &o.out)
	only := f.String("only", "", "kinds of rows, all by default")
	if err := program.Parse(f, args); err != nil {
		return o, err
	}
	var kinds []string
	for _, k := range kindsOfRows() {
		kinds = append(kinds, k.name)
	}
	o.only = program.List(*only)
	return o, program.Known(o.only, kinds)
}

// lab runs the command in a folder of its own.
type lab struct {
	folder, command           string
	done, refused, wrong, all int
}

func run(ctx context.Context, o options) error {
	folder, err := filepath.Abs(o.out)
	if err != nil {
		return err
	}
	l := &lab{folder: filepath.Join(folder, "rows"), command: filepath.Join(folder, "nystream")}
	if err := os.MkdirAll(l.folder, 0o777); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", l.command, "github.com/nystream/nystream/cmd/nystream")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the command: %w", err)
	}
	began := time.Now()
	for _, k := range kindsOfRows() {
		if len(o.only) > 0 && !slices.Contains(o.only, k.name) {
			continue
		}
		if err := l.try(ctx, k); err != nil {
			return err
		}
	}
	fmt.Printf("%d runs: %d done, %d refused, %d wrong. Measured in %.0f s.\n", l.all, l.done, l.refused, l.wrong, time.Since(began).Seconds())
	if l.wrong > 0 {
		return fmt.Errorf("%d runs were wrong", l.wrong)
	}
	return nil
}

// try writes rows of a kind, and runs all commands on them.
func (l *lab) try(ctx context.Context, k kind) error {
	if err := k.write(l.folder); err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	for _, args := range fits() {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		what, outcome := l.fit(ctx, args)
		l.all++
		switch outcome {
		case done:
			l.done++
		case refused:
			l.refused++
		default:
			l.wrong++
			fmt.Printf("%s: nystream %s: %s\n", k.name, args, what)
		}
	}
	return nil
}
