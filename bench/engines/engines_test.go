package main

import (
	"testing"
)

// Every engine that is here makes the bytes of one process, and what goes wrong on a worker is
// put right or refused by name.
func TestEngines(t *testing.T) {
	l, err := newLab(t.Context(), t.TempDir(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			if why := e.missing(); why != "" {
				t.Skip(why)
			}
			fits, faults, why := tested(e.name, testing.Short())
			if why != "" {
				t.Skip(why)
			}
			results, err := l.try(t.Context(), e, fits, faults)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if r.err != nil {
					t.Errorf("%s: %v", r.of, r.err)
				}
			}
		})
	}
}

// tested returns what is tried with an engine, or why nothing is.
func tested(name string, short bool) ([]fit, []fault, string) {
	few, rounds := []fit{fits[0], fits[4]}, []fit{fits[0], fits[len(fits)-1]} // the data decide how many rounds the last takes
	switch {
	case name == "beam":
		return nil, nil, "the tests of cmd/nystream-beam try it; go run ./bench/engines -only beam"
	case short && name == "xargs":
		return rounds, nil, ""
	case short && (name == "shell.sh" || name == "make.mk"):
		return few[:1], faults[:1], ""
	case short:
		return nil, nil, "seconds to start it: run without -short"
	case name == "dask" || name == "spark": // a second and more for each round
		return few[:1], faults[:1], ""
	case name == "srun":
		return rounds, faults[:1], ""
	case name != "xargs": // the command tries all
		return few, faults[:1], ""
	}
	return fits, faults, ""
}
