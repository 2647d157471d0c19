// Package paper4 reproduces tables of paper 4 (He et al., "Learning with asymmetric
// kernels: least squares and feature interpretation") with package askls.
//
//	go run -C bench/papers . paper4 -out DIR
//	go run -C bench/papers . paper4 -out DIR -only uci -sets heart,pima
//
// Parts: cora is Table III, node classification in a directed graph, also on citeseer if its files exist; uci is Table
// IV, tables with the kernels SNE, T and RBF.
package paper4

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/lab"
)

// Parse parses the flags and returns the requested program.
func Parse(args []string) (*lab.Program, error) {
	sets, repeats, rows := "", 0, 0
	cora := func(ctx context.Context) ([]*report.Table, error) { return graphTables(ctx, repeats) }
	uci := func(ctx context.Context) ([]*report.Table, error) {
		t, err := uciTable(ctx, program.List(sets), repeats, rows)
		return []*report.Table{t}, err
	}
	return lab.Parse("paper4", args, []lab.Part{{Name: "cora", Run: cora}, {Name: "uci", Run: uci}},
		func(f *flag.FlagSet) {
			f.StringVar(&sets, "sets", strings.Join(tableNames(), ","), "tables of part uci")
			f.IntVar(&repeats, "repeats", 5, "random splits")
			f.IntVar(&rows, "rows", 0, "most rows of a table, drawn at random; 0 for all")
		},
		func() error {
			if repeats < 1 || rows < 0 {
				return fmt.Errorf("-repeats %d -rows %d: at least 1 and 0 are needed", repeats, rows)
			}
			return program.Known(program.List(sets), tableNames())
		})
}
