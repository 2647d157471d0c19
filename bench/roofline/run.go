package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// A section measures and prints one kind of table.
type section struct {
	name string
	run  func(w io.Writer, o options) error
}

var sections = []section{
	{"tiles", printTiles},
	{"memory", printMemory},
	{"gemm", printProducts},
	{"dense", printDense},
	{"kv", printKernelTimesVector},
}

func run(w io.Writer, o options) error {
	began := time.Now()
	printMachine(w)
	for _, s := range sections {
		if !o.wants(s.name) {
			continue
		}
		if err := s.run(w, o); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	_, err := fmt.Fprintf(w, "\nMeasured in %.0f s.\n", time.Since(began).Seconds())
	return err
}

// progress tells on the standard error what is being measured.
func progress(format string, a ...any) { fmt.Fprintf(os.Stderr, format+"\n", a...) }
