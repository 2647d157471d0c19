package main

import (
	"github.com/spf13/cobra"

	"github.com/nystream/nystream/python"
)

// newPythonTopic returns help that is the reader in Python and nothing else, so that its
// output is the file.
func newPythonTopic() *cobra.Command {
	return topic("python", "A reader of models in Python: nystream help python > nystream.py", python.Reader)
}

// topic returns a topic of help, whose text is printed as it is.
func topic(name, short, text string) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Long: short}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cmd.Print(text) })
	return cmd
}

// newModelTopic returns help about what is in a model file.
func newModelTopic() *cobra.Command { return topic("model", "What is in a model file", archiveHelp) }

const archiveHelp = `A model is a zip archive of meta.json and arrays, one to an .npy file and none of them
compressed, that numpy.load opens. Numbers are float64, and numbers of rows int64. The
comment at the end of the archive is

    nystream archive 1 sha256 <digest of all bytes before the digest>

where 1 is the version of the container; every command compares the digest. meta.json has

    format    "nystream model"
    version   1: what this text describes; a program refuses another one
    method    what fitted the model; nystream help python has its function of rows
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
    data.columns               names of the columns, in the order of the numbers in a row;
                               none where they only count
    data.nulls                 what becomes of rows with nulls: error, drop, zero, mean, indicator
    data.categories            encoding (onehot, ordinal) and columns of text, with their levels
    data.input                 matrix, sources, graph, pairs or kernel matrix
    data.classes               of labels, in the order of the columns that decide on them
    data.files                 of rows that were written with the model, as factors are: file
                               (its path from the folder of the model), bytes, sha256

Parquet files of rows have made, and of what a model has turned into rows the command that made
the model, as JSON under the key nystream in the metadata of the footer, Arrow files in that of
the schema; other formats have no place for it. None of it tells the time: the same command on
the same files makes the same bytes, whatever the threads and shards, and a model that nystream
merge makes has the command of the fit.

The arrays column_shift, column_factor, column_fill and column_knots (quantiles) are in the
units of the columns of the data; column_missing are the columns that have an indicator. A row
has numbers, then categories, then indicators. Everything else is made of the rows that they
give. values are in units of the kernel's entries times rows: eigenvalues or singular values
of A. Columns of U are orthonormal over the rows of the fit and have no unit.

nystream help python prints a file with a function for each method, on NumPy alone: read and
prepare a model's rows, then landmarks, fourier, project, regression, functions, asymmetric,
decisions, decide, mapped or entries, and kernel for k:

    meta, m = read('m.npz')
    x = prepare(meta, m, rows)                            # a matrix, a row to embed in each row
    u = landmarks(kernel(meta['kernel']), m, meta['left'], x)

A node of a graph is known by its edges to the nodes of the fit, and a sample of a kernel matrix
by its entries with the samples of the fit: what there is with others counts for nothing.
`
