package main

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"
)

// pythonReader is the reader of models in Python.
//
//go:embed python/nystream.py
var pythonReader string

// newPythonTopic returns help that is the reader in Python and nothing else, so that its
// output is the file.
func newPythonTopic() *cobra.Command {
	return topic("python", "A reader of models in Python, with estimators for scikit-learn: nystream help python > nystream.py", pythonReader)
}

// topic returns a topic of help, whose text is printed as it is.
func topic(name, short, text string) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Long: short}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cmd.Print(text) })
	return cmd
}

// newModelTopic returns help about what is in a model file.
func newModelTopic() *cobra.Command {
	return topic("model", "What is in a model, and the NumPy lines that embed a new row", modelHelp())
}

// modelHelp returns the text of help model. Its lines of Python are those of the reader.
func modelHelp() string {
	var b strings.Builder
	b.WriteString(archiveHelp)
	for _, part := range []struct{ name, says string }{
		{"rows", "For every method: read a model, and prepare rows as its fit did."},
		{"landmark", "Low-rank models of landmarks: landmark, nystrom, rpcholesky, subspace, s3spsd and ssrsvd,\nand auto, which is one of them. A ≈ U·diag(values)·Uᵀ + shift·I, or U·diag(values)·Vᵀ.\nrange_shift is of s3spsd: a landmark of the fit counts as one at its own row number alone."},
		{"rff", "Random features."},
		{"ism", "Interpretable dimension reduction."},
		{"operator", "Operators: functions of a side. values_imag are the imaginary parts of complex values."},
		{"ksvd", "Asymmetric kernels of rows. Each side has a function, as far as the kernel has weight 1 and\nmeans are not taken over all rows of a source: then use nystream transform. Of sne, t and softmax\nk is the logarithm: −‖a−b‖²/gamma², −ln(1+‖a−b‖²) and scale·aᵀb."},
		{"graph", graphHelp},
		{"matrix", "Models of an explicit --matrix, A = f(M). V is v: new columns have no embedding."},
		{"transport", "Transport plans. kernel is that of the plan, to the power 1/epsilon."},
		{"askls", "Classifiers of rows: data.classes of meta.json are the labels of the columns."},
		{"samples", "Classifiers of a graph or a kernel matrix, which have no functions in meta.json. A sample has\nits row of the matrix, over all samples of the fit, as k, and its column as back."},
	} {
		b.WriteString("\n" + part.says + "\n\n")
		for line := range strings.Lines(readerPart(part.name)) {
			if strings.TrimSpace(line) != "" {
				line = "    " + line
			}
			b.WriteString(line)
		}
	}
	b.WriteString(archiveEnd)
	return b.String()
}

// readerPart returns the lines of the reader between the marks of a name.
func readerPart(name string) string {
	_, rest, _ := strings.Cut(pythonReader, "# ["+name)
	_, rest, _ = strings.Cut(rest, "\n")
	part, _, found := strings.Cut(rest, "# "+name+"]")
	if !found {
		panic("nystream.py has no part " + name)
	}
	return part
}

const archiveHelp = `A model is a zip archive of meta.json and arrays, one to an .npy file and none of them
compressed, that numpy.load opens. Numbers are float64, and numbers of rows int64. The
comment at the end of the archive is

    nystream archive 1 sha256 <digest of all bytes before the digest>

where 1 is the version of the container; every command compares the digest. meta.json has

    format    "nystream model"
    version   1: what this text describes; a program refuses another one
    method    what fitted the model; the rows below say what is in it
    kernel    as --kernel takes it, with numbers for words such as median
    seed, rank, rows, columns
    left, right                how rows of a side become numbers; right only if it differs
    made                       how the file came to be; not in files made with
                               --provenance=false, or where NYSTREAM_PROVENANCE=false:
      version, build           of the program
      command                  the command line, with what presets set, without what says where
                               results go and how the process ran, and without credentials
      sources                  name, formats, rows and columns of each
      errors                   estimates, in both norms where they are known: of (what), value
                               (relative), from (the evidence); of a null value: reason
      units                    of columns, as the model takes them, and of errors
    data.columns               names of the columns, in the order of the numbers in a row;
                               none where they only count
    data.nulls                 what becomes of rows with nulls: error, drop, zero or mean
    data.input                 matrix, sources, graph, pairs or kernel matrix
    data.classes               of labels, in the order of the columns that decide on them
    data.files                 of rows that were written with the model, as factors are: file
                               (its path from the folder of the model), bytes, sha256

Parquet files of rows have made, and of what a model has turned into rows the command that made
the model, as JSON under the key nystream in the metadata of the footer, Arrow files in that of
the schema; other formats have no place for it. None of it tells the time: the same command on
the same files makes the same bytes, whatever the threads and shards, and a model that nystream
merge makes has the command of the fit.

The arrays column_shift, column_factor and column_fill are in the units of the columns of
the data, and so is what they are taken from; everything else is made of the rows that they
give. values are in units of the kernel's entries times rows: eigenvalues or singular values
of A. Columns of U are orthonormal over the rows of the fit and have no unit.

The lines of Python below are those of nystream help python, a file that has the kernels
too. They need NumPy as np, and import json and re. With them

    meta, m = read('m.npz')
    x = prepare(meta, m, rows)                            # a matrix, a row to embed in each row
    k = lambda a, b: np.exp(-gamma * ((a[:, None] - b[None]) ** 2).sum(-1))    # for rbf(gamma=…)
    u = landmarks(k, m, meta['left'], x)                  # or fourier(m, x), project(m, x), …
`

const archiveEnd = `
A node of a graph is known by its edges to the nodes of the fit, and a sample of a kernel matrix
by its entries with the samples of the fit: what there is with others counts for nothing.
`

const graphHelp = `Singular vectors of a graph. The row of a node is that of adjacency, for the right side of its
transpose, with a column for each node of the fit: node_ids, or data.graph.names of meta.json.
Then u = asymmetric(k, unpacked(m, h), h, x, side, divides(meta['kernel'])), h = meta[side].`
