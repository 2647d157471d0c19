package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/internal/simd"
)

// options say what to measure.
type options struct {
	tables  []string
	kernels []kernel
	dims    []int
	paths   []simd.Path
	types   []string
	threads []int
	reps    int
	quick   bool
	sample  time.Duration // of one load in one repetition
}

func (o options) wants(table string) bool { return slices.Contains(o.tables, table) }

// The longest rows that are worth a table.
const maxDim = 1 << 16

func parseOptions(args []string) (o options, err error) {
	f := program.FileFlags("roofline")
	f.BoolVar(&o.quick, "quick", false, "fewer columns and shorter samples, below 40 s")
	kv := f.Bool("kv", false, "also the exact product K·v of 100000 rows")
	tables := f.String("tables", "tiles,memory,gemm", "tables to print, of tiles, memory, gemm, dense and kv")
	kernels := f.String("kernels", "rbf,laplace,poly,matern52", "kernels")
	dims := f.String("dims", "", "numbers of columns (default 3,16,20,50,128,256,784,3072; with -quick 3,20,784)")
	paths := f.String("paths", "", "paths, of go, avx2, avx512 and neon (default: what this machine has)")
	types := f.String("types", "f64,f32", "types of elements")
	threads := f.String("threads", "", "numbers of threads (default 1,2, or 1 on a single processor)")
	f.IntVar(&o.reps, "reps", 5, "repetitions, of which medians are taken")
	if err := program.Parse(f, args); err != nil {
		return o, err
	}
	if o.reps < 1 || o.reps > 1000 {
		return o, fmt.Errorf("-reps %d: want 1 to 1000", o.reps)
	}
	o.setDefaults(dims, threads)
	err = errors.Join(
		list(&o.tables, "tables", *tables, parseTable),
		list(&o.kernels, "kernels", *kernels, parseKernel),
		list(&o.dims, "dims", *dims, number(maxDim)),
		list(&o.paths, "paths", pathsOrAll(*paths), parsePath),
		list(&o.types, "types", *types, parseType),
		list(&o.threads, "threads", *threads, number(runtime.NumCPU())))
	if *kv && !o.wants("kv") {
		o.tables = append(o.tables, "kv")
	}
	return o, err
}

func (o *options) setDefaults(dims, threads *string) {
	o.sample = 10 * time.Millisecond
	if o.quick {
		o.sample = 4 * time.Millisecond
	}
	if *dims == "" {
		*dims = "3,16,20,50,128,256,784,3072"
		if o.quick {
			*dims = "3,20,784"
		}
	}
	if *threads == "" {
		*threads = "1"
		if runtime.NumCPU() > 1 {
			*threads = "1,2"
		}
	}
}

// list parses what stands between commas; nothing may stand there twice.
func list[T any](to *[]T, name, text string, parse func(string) (T, error)) error {
	var seen []string
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		if slices.Contains(seen, word) {
			return fmt.Errorf("-%s %s: %q stands there twice", name, text, word)
		}
		v, err := parse(word)
		if err != nil {
			return fmt.Errorf("-%s %s: %w", name, text, err)
		}
		seen, *to = append(seen, word), append(*to, v)
	}
	return nil
}

// number parses a whole number from 1 to most.
func number(most int) func(word string) (int, error) {
	return func(word string) (int, error) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > most {
			return 0, fmt.Errorf("%q is not a whole number from 1 to %d", word, most)
		}
		return n, nil
	}
}

func parseTable(word string) (string, error) {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return oneOf(word, names)
}

func parseType(word string) (string, error) { return oneOf(word, []string{"f64", "f32"}) }

func parseKernel(word string) (kernel, error) {
	var names []string
	for _, k := range kernels {
		names = append(names, k.name)
	}
	if _, err := oneOf(word, names); err != nil {
		return kernel{}, err
	}
	return kernels[slices.Index(names, word)], nil
}

func parsePath(word string) (simd.Path, error) {
	names := strings.Split(pathsOrAll(""), ",")
	if _, err := oneOf(word, names); err != nil {
		return 0, fmt.Errorf("%w on this machine and in this build", err)
	}
	return simd.Available()[len(names)-1-slices.Index(names, word)], nil
}

// pathsOrAll returns text, or all paths of this machine, the fastest first.
func pathsOrAll(text string) string {
	if text != "" {
		return text
	}
	var names []string
	for _, p := range simd.Available() {
		names = append(names, p.String())
	}
	slices.Reverse(names)
	return strings.Join(names, ",")
}

func oneOf(word string, names []string) (string, error) {
	if !slices.Contains(names, word) {
		return "", fmt.Errorf("%q is none of %s", word, strings.Join(names, ", "))
	}
	return word, nil
}
