package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/simd"
)

func TestNonsenseIsRejected(t *testing.T) {
	for args, want := range map[string]string{
		"-kernels rbf,gauss":  `"gauss" is none of rbf, laplace, poly, matern52`,
		"-kernels rbf,rbf":    "stands there twice",
		"-dims 3,x":           `"x" is not a whole number from 1 to`,
		"-dims 0":             `"0" is not a whole number from 1 to`,
		"-dims 3,,20":         `"" is not a whole number`,
		"-dims 100000000":     "from 1 to 65536",
		"-paths sve":          `"sve" is none of`,
		"-types f16":          `"f16" is none of f64, f32`,
		"-threads 100000":     `"100000" is not a whole number from 1 to`,
		"-threads -1":         `"-1" is not a whole number`,
		"-tables tile":        `"tile" is none of tiles, memory, gemm, dense, kv`,
		"-reps 0":             "-reps 0: want 1 to 1000",
		"-reps five":          `invalid value "five" for flag -reps`,
		"-dim 3":              "not defined: -dim",
		"rbf":                 `takes flags only`,
		"-dims 0 -types half": `"half" is none of`, // every mistake is told
	} {
		_, err := parseOptions(strings.Fields(args))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", args, err, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	o, err := parseOptions(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.kernels) != 4 || len(o.dims) != 8 || len(o.types) != 2 || o.reps != 5 || o.wants("kv") {
		t.Errorf("defaults %+v", o)
	}
	paths := slices.Clone(o.paths)
	slices.Reverse(paths)
	if !slices.Equal(paths, simd.Available()) {
		t.Errorf("paths %v, want those of %v, the fastest first", o.paths, simd.Available())
	}
}

func TestFlagsAreTaken(t *testing.T) {
	o, err := parseOptions(strings.Fields("-kv -quick -paths go -dims 7,5 -kernels poly -types f32 -threads 1 -reps 9"))
	if err != nil {
		t.Fatal(err)
	}
	if !o.wants("kv") || !o.quick || o.paths[0] != simd.Go || !slices.Equal(o.dims, []int{7, 5}) ||
		o.kernels[0].name != "poly" || o.types[0] != "f32" || !slices.Equal(o.threads, []int{1}) || o.reps != 9 {
		t.Errorf("options %+v", o)
	}
}
