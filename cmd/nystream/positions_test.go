package main

import (
	"strings"
	"testing"

	"github.com/nystream/nystream/cmd/nystream/internal/rows"
)

// A model can be applied to the file of its fit, whichever of its columns were no features, with the same result as
// with named columns.
func TestModelsTakeTheFileOfTheirFit(t *testing.T) {
	t.Chdir(t.TempDir())
	x := uniformRows(12, 5)
	for i := range x.Rows {
		x.Data[i*x.Stride], x.Data[i*x.Stride+4] = float64(i%2), float64(i/2%2) // for classes
	}
	const few = " --kernel rbf(gamma=1)"
	fits := []struct{ fit, verbs, features string }{
		{"ridge --target 4 --landmarks 4 --folds 2" + few, "predict", "0:4"},
		{"ridge --target 2 --weights 3 --landmarks 4 --folds 2" + few, "predict", "0,1,4"},
		{"ridge --target 3,4 --weights 2 --landmarks 4 --folds 2" + few, "predict", "0,1"},
		{"ridge --label 4 --fold-by 3 --columns 2,0 --landmarks 4 --folds 2" + few, "predict", "2,0"},
		{"askls --label 4" + few, "predict", "0:4"},
		{"landmark --label 4 --keep 3 --rank 2" + few, "transform verify", "0:3"},
		{"ksvd --columns !4 --rank 2" + few, "transform verify", "0:4"},
		{"ism --label 4 --dim 1", "predict", "0:4"},
		{"operator --columns 0:4 --kind covariance --rank 2" + few, "transform", "0:4"},
		{"transport --right RIGHT --columns 0:4" + few, "transform", "0:4"},
	}
	for _, path := range []string{"x.npy", "x.libsvm", "x.csv", "x.jsonl", "x.parquet"} {
		if err := writeTable(path, rows.Numbered("x", 5), x); err != nil {
			t.Fatal(err)
		}
		for i, f := range fits {
			if path != "x.npy" && i%3 > 0 {
				continue
			}
			words := strings.Fields(strings.ReplaceAll(f.fit, "RIGHT", path))
			succeeds(t, append([]string{"fit", words[0], path, "-o", "m.npz"}, words[1:]...)...)
			for verb := range strings.FieldsSeq(f.verbs) {
				if verb == "verify" {
					succeeds(t, "verify", "m.npz", path)
					continue
				}
				succeeds(t, verb, "m.npz", path, "-o", "found.csv")
				succeeds(t, verb, "m.npz", path, "-o", "named.csv", "--columns", f.features)
				if found, named := mustReadText(t, "found.csv"), mustReadText(t, "named.csv"); found != named {
					t.Errorf("%s of %s gives %q, and with --columns %s %q", f.fit, path, found, f.features, named)
				}
			}
		}
	}
}

// Both sides of an operator use the column positions of their own files.
func TestPositionsOfPairs(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"x.npy", "y.npy"} {
		if err := writeTable(name, rows.Numbered("x", 4), uniformRows(12, 4)); err != nil {
			t.Fatal(err)
		}
	}
	for _, with := range []string{"2", "2:4", "0,1,2"} {
		succeeds(t, "fit", "operator", "x.npy", "--columns", "1:3", "--with", "y.npy", "--with-columns", with, "--kind", "cca",
			"--kernel", "rbf(sigma=1)", "--kernel-y", "rbf(sigma=2)", "--rank", "2", "-o", "m.npz")
		for _, side := range []struct{ name, file, columns string }{{"left", "y.npy", with}, {"right", "x.npy", "1:3"}} {
			succeeds(t, "transform", "m.npz", side.file, "--side", side.name, "-o", "found.csv")
			succeeds(t, "transform", "m.npz", side.file, "--side", side.name, "-o", "named.csv", "--columns", side.columns)
			if found, named := mustReadText(t, "found.csv"), mustReadText(t, "named.csv"); found != named {
				t.Errorf("--with-columns %s, --side %s: %q, and with --columns %s %q", with, side.name, found, side.columns, named)
			}
		}
	}
}
