// Package paper2 reproduces the tables of paper 2 (Tao et al., "Nonlinear SVD with asymmetric kernels") and compares
// the methods of package ksvd with those of the paper.
//
//	go run -C bench/papers . paper2 -out DIR           everything
//	go run -C bench/papers . paper2 -out DIR -only 1,2
//
// Tables: 1 node classification, 2 graph reconstruction, 3 tables of the UCI repository, 6 SVD after a nonlinear map, 4
// (with 5) time to a tolerance. Figures: figure1 the samples and the speed as the spectrum varies, figure4 (with 2)
// classification by the samples. The graphs are cora, and citeseer if its files exist.
package paper2

import (
	"context"
	"flag"
	"fmt"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/graphs"
	"github.com/nystream/nystream/bench/papers/lab"
)

// options select the measurements.
type options struct {
	seeds int
	rank  int
	limit float64 // CPU seconds

	made map[string]map[string][]*features // for Tables 1 and 2, by graph
}

// Parse parses the flags and returns the requested program.
func Parse(args []string) (*lab.Program, error) {
	o := &options{}
	one := func(name string, table func(context.Context) (*report.Table, error)) lab.Part {
		return lab.Part{Name: name, Run: func(ctx context.Context) ([]*report.Table, error) {
			t, err := table(ctx)
			return []*report.Table{t}, err
		}}
	}
	ofGraph := func(name string, table func(context.Context, *graphs.Classed) (*report.Table, error)) lab.Part {
		return lab.Part{Name: name, Run: func(ctx context.Context) ([]*report.Table, error) {
			all, err := graphs.Citations(ctx)
			if err != nil {
				return nil, err
			}
			var tables []*report.Table
			for _, g := range all {
				t, err := table(ctx, g)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", g.Name, err)
				}
				tables = append(tables, t)
			}
			return tables, nil
		}}
	}
	parts := []lab.Part{ofGraph("1", o.table1), ofGraph("2", o.table2),
		one("3", func(ctx context.Context) (*report.Table, error) { return table3(ctx, 2*o.seeds) }),
		one("6", func(ctx context.Context) (*report.Table, error) { return table6(ctx, 2*o.seeds) }),
		ofGraph("4", o.table4), ofGraph("figure1", o.figure1), ofGraph("figure4", o.figure4)}
	return lab.Parse("paper2", args, parts, func(f *flag.FlagSet) {
		f.IntVar(&o.seeds, "seeds", 10, "splits of Table 1 and Figure 4; Tables 3 and 6 have twice as many")
		f.IntVar(&o.rank, "features", 1000, "most features of a side in Tables 1 and 2 and Figure 4")
		f.Float64Var(&o.limit, "limit", 20, "most CPU seconds of a setting in Tables 4 and 5 and Figure 1")
	}, func() error {
		if o.seeds < 1 || o.rank < 1 {
			return fmt.Errorf("-seeds %d -features %d: both must be at least 1", o.seeds, o.rank)
		}
		return nil
	})
}

// features returns the features of all methods, which Tables 1 and 2 share.
func (o *options) features(ctx context.Context, g *graphs.Classed) (map[string][]*features, error) {
	if made := o.made[g.Name]; made != nil {
		return made, nil
	}
	made := map[string][]*features{}
	for _, method := range graphMethods {
		for _, gamma := range bandwidthsOf(method) {
			f, err := newFeatures(ctx, g, method, gamma, o.rank)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", method, err)
			}
			made[method] = append(made[method], f)
		}
	}
	if o.made == nil {
		o.made = map[string]map[string][]*features{}
	}
	o.made[g.Name] = made
	return made, nil
}
