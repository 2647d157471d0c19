// Package lab has the parts common to the programs of all papers: flags, parts of a paper, and matrices in memory.
package lab

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
)

// Part computes tables of a paper, such as those of an example or a data set.
type Part struct {
	Name string
	Run  func(ctx context.Context) ([]*report.Table, error)
	Draw func(dir string) error // saves pictures after Run; nil for none
}

// Program is the run requested by a command line.
type Program struct {
	Parts []string // all parts of the program, including unselected ones
	Run   func(context.Context) error
}

// Parse parses the flags of a paper: -out, -only with the names of parts, and those added by define, which check
// validates. The run prints and saves the tables of the parts.
func Parse(name string, args []string, parts []Part, define func(*flag.FlagSet), check func() error,
) (*Program, error) {
	var out string
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	f := program.Flags(name, &out)
	only := f.String("only", strings.Join(names, ","), "parts")
	define(f)
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	chosen := program.List(*only)
	if err := cmp.Or(program.Known(chosen, names), check()); err != nil {
		return nil, err
	}
	return &Program{names, func(ctx context.Context) error {
		if err := os.MkdirAll(out, 0o777); err != nil {
			return err
		}
		for _, p := range parts {
			if !slices.Contains(chosen, p.Name) {
				continue
			}
			tables, err := p.Run(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
			for _, t := range tables {
				if err := t.Write(out); err != nil {
					return err
				}
			}
			if p.Draw != nil {
				if err := p.Draw(out); err != nil {
					return fmt.Errorf("%s: %w", p.Name, err)
				}
			}
		}
		return nil
	}}, nil
}
