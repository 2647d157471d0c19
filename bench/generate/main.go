// Command generate writes data for measurements. The same flags give the same files,
// byte by byte.
//
//	go run ./bench/generate uniform -rows 1000000 -o u6.npy
//	go run ./bench/generate powerlaw -nodes 1000000 -edges 10000000 -o g.csv
//
// uniform is rows drawn uniformly from [0,1]^d. powerlaw is a directed graph whose
// degrees follow a power law and whose nodes form communities; these go to a second
// file, g.labels.csv here.
package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
)

// generators are what can be written: each parses its flags.
var generators = map[string]func(args []string) (func() error, error){
	"uniform":  parseUniform,
	"powerlaw": parsePowerLaw,
}

func main() {
	program.Main("generate", parse, func(_ context.Context, write func() error) error { return write() })
}

// parse returns what writes the files that a command line asks for.
func parse(args []string) (func() error, error) {
	known := strings.Join(slices.Sorted(maps.Keys(generators)), " or ")
	if len(args) == 0 {
		return nil, fmt.Errorf("say what to generate: %s", known)
	}
	parseFlags, ok := generators[args[0]]
	if !ok {
		return nil, fmt.Errorf("%q is not known: generate %s", args[0], known)
	}
	return parseFlags(args[1:])
}
