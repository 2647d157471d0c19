package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
)

// axis is a parameter of a grid and the values to try, as texts.
type axis struct {
	parameter string
	values    []string
}

// mostCandidates is how many points a grid may have.
const mostCandidates = 1000

// kernelPrefix stands before the parameters of a kernel.
const kernelPrefix = "kernel."

// parseGrid reads texts such as "C=0.1,1; kernel.gamma=1,2".
func parseGrid(texts []string) (grid []axis, err error) {
	points := 1
	for _, text := range strings.Split(strings.Join(texts, ";"), ";") {
		name, list, found := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if !found || name == "" {
			return nil, fmt.Errorf("--cv %q is not a parameter and its values, such as C=0.1,1,10", strings.TrimSpace(text))
		}
		values := trimmed(strings.Split(list, ","))
		if slices.Contains(values, "") {
			return nil, fmt.Errorf("--cv %s: a value is missing in %q", name, strings.TrimSpace(list))
		}
		if slices.ContainsFunc(grid, func(a axis) bool { return a.parameter == name }) {
			return nil, fmt.Errorf("--cv names %s twice: put all its values into one list", name)
		}
		grid = append(grid, axis{name, values})
		if points *= len(values); points > mostCandidates {
			return nil, fmt.Errorf("--cv: the grid has more than %d points", mostCandidates)
		}
	}
	return grid, nil
}

// points returns the values of each point of a grid, in the order of the axes, the last
// of which changes fastest.
func points(grid []axis) [][]string {
	all := [][]string{nil}
	for _, a := range grid {
		var longer [][]string
		for _, p := range all {
			for _, v := range a.values {
				longer = append(longer, append(slices.Clone(p), v))
			}
		}
		all = longer
	}
	return all
}

// candidates returns the machine of each point of a grid.
func candidates(grid []axis, m askls.Solver, k kernelgen.Kernel) ([]askls.Candidate, error) {
	var list []askls.Candidate
	for _, p := range points(grid) {
		c := askls.Candidate{Solver: m, Kernel: k}
		for i, a := range grid {
			if err := setParameter(&c, a.parameter, p[i]); err != nil {
				return nil, fmt.Errorf("--cv %s=%s: %w", a.parameter, p[i], err)
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// setParameter gives a parameter of a candidate another value.
func setParameter(c *askls.Candidate, parameter, value string) (err error) {
	if name, ok := strings.CutPrefix(parameter, kernelPrefix); ok {
		c.Kernel, err = c.Kernel.With(name, value)
		return err
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(v > 0) || v-v != 0 {
		return fmt.Errorf("must be a number above 0")
	}
	switch parameter {
	case "C":
		c.Solver.C = v
	case "ridge":
		c.Solver.Ridge = v
	case "rank":
		if c.Solver.Rank = int(v); float64(c.Solver.Rank) != v {
			return fmt.Errorf("must be a whole number")
		}
	default:
		return fmt.Errorf("there is no such parameter; there are C, ridge, rank and those of the kernel, such as %sgamma", kernelPrefix)
	}
	return nil
}
