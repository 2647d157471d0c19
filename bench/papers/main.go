// Command papers reproduces tables of the five papers that Nystream implements, and compares our methods with theirs.
// It uses only public packages.
//
//	go run -C bench/papers . paper1 -only abalone -kernels rbf -c 50 -seeds 2
//	go run -C bench/papers . paper1 -h
//
// It prints tables, and writes them to the folder of -out as Markdown and CSV. An
// interrupted run continues where it stopped, unless the program has changed.
package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/paper1"
	"github.com/nystream/nystream/bench/papers/paper2"
	"github.com/nystream/nystream/bench/papers/paper3"
	"github.com/nystream/nystream/bench/papers/paper4"
	"github.com/nystream/nystream/bench/papers/paper5"
)

// papers lists the papers with functions that parse their flags.
var papers = []struct {
	name  string
	parse func(args []string) (*lab.Program, error)
}{
	{"paper1", paper1.Parse}, {"paper2", paper2.Parse}, {"paper3", paper3.Parse},
	{"paper4", paper4.Parse}, {"paper5", paper5.Parse},
}

func main() {
	program.Main("papers", parse, func(ctx context.Context, p *lab.Program) error { return p.Run(ctx) })
}

func parse(args []string) (*lab.Program, error) {
	var names []string
	for _, p := range papers {
		if len(args) > 0 && args[0] == p.name {
			return p.parse(args[1:])
		}
		names = append(names, p.name)
	}
	return nil, fmt.Errorf("name a paper: %s", strings.Join(names, ", "))
}
