package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// examples are command lines that help shows, for each command.
var examples = map[string]string{
	"nystream":          "nystream demo\nnystream help methods\nnystream fit landmark data.parquet --kernel 'rbf(gamma=median)' --rank 50 -o m.npz",
	"nystream fit":      "nystream fit landmark data.parquet --kernel 'rbf(gamma=median)' --rank 50 -o m.npz",
	"nystream fit auto": "nystream fit auto data.parquet --kernel 'rbf(gamma=median)' --tol 0.01 -o m.npz",
	"nystream fit landmark": "nystream fit landmark data.parquet --kernel 'rbf(gamma=median)' --scale standard --rank 50 -o m.npz --factors U.parquet --keep id\n" +
		"nystream fit landmark queries.npy --right keys.npy --kernel 'rbf(gamma=0.1)' --rank 50 -o m.npz --left-factors U.npy --right-factors V.npy",
	"nystream fit s3spsd":     "nystream fit s3spsd 's3://bucket/rows/*.parquet' --kernel 'laplace(gamma=0.1)' --rank 50 -o m.npz",
	"nystream fit ssrsvd":     "nystream fit ssrsvd --matrix M.npy --map exp --rank 20 --refine 1 -o m.npz --left-factors U.npy --right-factors V.npy",
	"nystream fit nystrom":    "nystream fit nystrom data.npy --kernel 'rbf(gamma=median)' --rank 50 --rule rpc -o m.npz",
	"nystream fit pca":        "nystream fit pca data.parquet --kernel 'rbf(gamma=median)' --components 10 -o m.npz --label kind --plot pca.svg",
	"nystream fit rpcholesky": "nystream fit rpcholesky data.npy --kernel 'rbf(gamma=median)' --rank 50 -o m.npz",
	"nystream fit rff":        "nystream fit rff data.parquet --kernel 'rbf(gamma=median)' --rank 200 -o m.npz",
	"nystream fit subspace":   "nystream fit subspace data.npy --kernel 'rbf(gamma=median)' --rank 50 --passes 4 -o m.npz",
	"nystream fit ksvd": "nystream fit ksvd words.npy --kernel 'sne(gamma=5)' --rank 10 -o m.npz --left-factors U.npy --right-factors V.npy\n" +
		"nystream fit ksvd --graph edges.csv --nodes nodes.csv --kernel 'sne(gamma=5)' --method nystrom --rank 50 --landmarks 1000 -o g.npz",
	"nystream fit ism": "nystream fit ism wine.csv --label class --dim 2 --kernel 'gaussian(sigma=median)' -o w.npz --plot w.svg",
	"nystream fit operator": "nystream fit operator x.npy --with y.npy --kind cca --kernel 'rbf(gamma=median)' --rank 5 -o m.npz\n" +
		"nystream fit operator path.npy --lag 10 --kind koopman --task eigen --kernel 'rbf(gamma=median)' --rank 5 -o m.npz",
	"nystream fit askls": "nystream fit askls data.csv --label class --kernel 'sne(gamma=5)' --merge stack -o m.npz",
	"nystream fit ridge": "nystream fit ridge houses.parquet --target price --kernel 'laplace(gamma=median)' --landmarks 1000 -o m.npz\n" +
		"nystream fit ridge letters.csv --label letter --kernel 'rbf(gamma=median)' --landmarks 2000 -o m.npz",
	"nystream fit transport":   "nystream fit transport today.npy --right tomorrow.npy --kernel 'rbf(gamma=10)' --rank 100 -o m.npz",
	"nystream transform":       "nystream transform m.npz new.parquet --keep id -o embedded.parquet\ncat new.csv | nystream transform m.npz - -o - | head",
	"nystream predict":         "nystream predict m.npz new.csv -o classes.csv\nnystream predict m.npz test.csv --label class",
	"nystream verify":          "nystream verify m.npz data.parquet\nnystream verify m.npz data.parquet --sample 2000",
	"nystream inspect":         "nystream inspect data.csv\nnystream inspect m.npz --format json",
	"nystream convert":         "nystream convert 'year=*/*.csv.gz' all.parquet\nnystream convert data.csv - --output-format arrow-stream | consumer",
	"nystream plan":            "nystream plan fit landmark data.parquet --kernel 'rbf(gamma=median)' --rank 50",
	"nystream plan fit":        "nystream plan fit landmark data.parquet --kernel 'rbf(gamma=median)' --rank 50",
	"nystream merge":           "nystream merge --states st -o model.npz",
	"nystream demo":            "nystream demo",
	"nystream completion":      "nystream completion bash >/etc/bash_completion.d/nystream",
	"nystream help":            "nystream help fit landmark\nnystream help methods",
	"nystream completion bash": "nystream completion bash >/etc/bash_completion.d/nystream",
}

// addExamples gives commands their examples. Plans have those of the fits.
func addExamples(root *cobra.Command) {
	everyCommand(root, func(c *cobra.Command) {
		path := c.CommandPath()
		text, ok := examples[path]
		if !ok {
			text = strings.ReplaceAll(withoutOutputs(examples[strings.Replace(path, "nystream plan fit", "nystream fit", 1)]), "nystream fit", "nystream plan fit")
		}
		if text != "" {
			c.Example = "  " + strings.ReplaceAll(text, "\n", "\n  ")
		}
	})
}

// withoutOutputs leaves the outputs out of examples of fits.
func withoutOutputs(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i], _, _ = strings.Cut(line, " -o ")
	}
	return strings.Join(lines, "\n")
}
