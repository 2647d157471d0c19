// Memory compares the most memory that the command holds with what --memory allows it:
//
//	go run ./bench/memory                  60 cases of method, format and size of batch
//	go run ./bench/memory -only landmark   those whose names contain a word
//
// Every case is run with a little memory first, and where that is refused, with what the
// message says that the run needs. No run may hold more than it was allowed, and one that is
// refused not more either, up to when it is; the second run must not be refused, but that of a pipe,
// whose plan is known only then, the third. Peaks are
// those of the whole process, as the kernel counts them.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
)

func main() { program.Main("memory", parse, run) }

type options struct {
	only  []string
	out   string
	write string
	least int
}

func parse(args []string) (o options, err error) {
	f := program.Flags("memory", &o.out)
	only := f.String("only", "", "words of cases, all by default")
	f.StringVar(&o.write, "write", "", "write one file of data and do no more; the program runs itself like that, to stay small")
	f.IntVar(&o.least, "least", 56, "MiB that every case is run with first")
	if err := program.Parse(f, args); err != nil {
		return o, err
	}
	o.only = program.List(*only)
	return o, nil
}

// lab holds what the cases need.
type lab struct {
	options
}

func (l *lab) path(name string) string { return filepath.Join(l.out, name) }

func run(ctx context.Context, o options) error {
	if o.write != "" {
		return files[filepath.Base(o.write)](o.write)
	}
	l := &lab{o}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", l.path("nystream"), "github.com/nystream/nystream/cmd/nystream")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the command: %w", err)
	}
	return l.all(ctx)
}

// all runs the cases and prints a table.
func (l *lab) all(ctx context.Context) error {
	began := time.Now()
	fmt.Println("| command | first MiB | refused | allowed MiB | peak MiB | peak/allowed |\n|---|---:|---|---:|---:|---:|")
	good, n, worst := 0, 0, 0.0
	for _, c := range cases() {
		if !l.wanted(c) {
			continue
		}
		r, err := l.measure(ctx, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		n++
		share := r.share()
		if worst = max(worst, share); share <= 1 {
			good++
		}
		refused := "no"
		if r.need > 0 {
			refused = "yes"
		}
		fmt.Printf("| %s | %.1f | %s | %.1f | %.1f | %.2f |\n", c, mib(r.first), refused, mib(r.allowed), mib(r.peak), share)
	}
	fmt.Printf("\n%d of %d within what they were allowed; the worst held %.2f of it. Measured in %.0f s.\n", good, n, worst, time.Since(began).Seconds())
	if good < n {
		return fmt.Errorf("%d cases held more than they were allowed", n-good)
	}
	return nil
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }

// wanted reports whether a case is asked for.
func (l *lab) wanted(c memoryCase) bool {
	for _, word := range l.only {
		if strings.Contains(c.String(), word) {
			return true
		}
	}
	return len(l.only) == 0
}
