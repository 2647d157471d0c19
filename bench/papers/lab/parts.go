// Package lab is what the programs of all papers share: flags and parts, and matrices in memory.
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

// Part makes tables of a paper: those of an example, or of a data set.
type Part struct {
	Name string
	Run  func(ctx context.Context) ([]*report.Table, error)
	Draw func(dir string) error // saves pictures after Run; nil for none
}

// Program is the run that a command line asks for.
type Program struct {
	Parts []string // all that the program has, whatever the run makes
	Run   func(context.Context) error
}

// Parse parses the flags of a paper: -out, -only with the names of parts, and those that define adds, whose values
// check looks at. The run prints the tables of the parts, and saves them.
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
