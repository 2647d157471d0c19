package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// demoCommand is one command line of demo.
type demoCommand struct {
	*app
	rows int64
	dir  string
	work string // where the files are made before they go to dir
}

// The files of the demo.
const (
	demoData      = "knot.parquet"
	demoNewData   = "new.parquet"
	demoModel     = "knot.npz"
	demoEmbedding = "new-embedding.parquet"
	demoSpectrum  = "spectrum.svg"
	demoPicture   = "embedding.svg"
)

var demoFiles = []string{demoData, demoNewData, demoModel, demoEmbedding, demoSpectrum, demoPicture}

// What the demo fits. The kernel reaches far enough along the knot for the
// columns of U to be smooth, and hardly to the next strand of it.
const (
	demoKernel    = "rbf(gamma=2)"
	demoRank      = 60
	demoNewRows   = 5000
	demoSample    = 1500
	demoLeastRows = 2000
)

func newDemoCommand(a *app) *cobra.Command {
	d := &demoCommand{app: a}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Make data, fit, verify, embed and draw, to see it all once",
		Long: `Make rows along a knot in 20 dimensions, fit a model to their kernel matrix, measure
its error, embed rows that it has never seen, and draw what it found. The files
stay in --dir; those of an earlier demo are replaced.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context()) },
	}
	cmd.Flags().Int64Var(&d.rows, "rows", 200000, "`number` of rows to make for the fit")
	cmd.Flags().StringVar(&d.dir, "dir", "nystream-demo", "`folder` for the files, made if need be")
	mustRegister(cmd.MarkFlagDirname("dir"))
	return cmd
}

// run does the steps in a folder of its own, and moves the files last of all.
func (d *demoCommand) run(ctx context.Context) (err error) {
	if err := d.check(); err != nil {
		return err
	}
	if d.work, err = os.MkdirTemp(filepath.Dir(filepath.Clean(d.dir)), ".nystream-demo-*"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(d.work)) }()
	found, err := d.steps(ctx)
	if err != nil {
		return err
	}
	if err := d.install(); err != nil {
		return err
	}
	return d.report(found)
}

// check refuses a folder that holds anything else than an earlier demo.
func (d *demoCommand) check() error {
	if d.rows < demoLeastRows {
		return usagef("--rows %d: the demo needs at least %d", d.rows, demoLeastRows)
	}
	entries, err := os.ReadDir(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return checkFolder("--dir", filepath.Clean(d.dir))
	case err != nil:
		return usagef("--dir %s: %v", d.dir, errors.Unwrap(err))
	}
	for _, e := range entries {
		if !slices.Contains(demoFiles, e.Name()) {
			return usagef("--dir %s: this folder holds %s, which no demo has made; name another folder", d.dir, e.Name())
		}
	}
	return checkFolder("--dir", filepath.Clean(d.dir))
}

// demoFound is what the steps have found out.
type demoFound struct {
	fit        fitResult
	verify     verifyResult
	transform  transformResult
	phaseError float64
}

// steps makes all files. The model is made, measured and applied by the
// commands that the report shows.
func (d *demoCommand) steps(ctx context.Context) (*demoFound, error) {
	k, f := newKnot(d.seed), &demoFound{}
	if err := k.write(ctx, d.path(demoData), 0, d.rows); err != nil {
		return nil, err
	}
	if err := k.write(ctx, d.path(demoNewData), d.rows, demoNewRows); err != nil {
		return nil, err
	}
	results := []any{&f.fit, &f.verify, &f.transform}
	for i, command := range d.commands(d.work) {
		if err := d.execute(ctx, command, results[i]); err != nil {
			return nil, err
		}
	}
	points, err := d.readPoints(ctx)
	if err != nil {
		return nil, err
	}
	f.phaseError = points.phaseError()
	if err := drawSpectrum(d.path(demoSpectrum), &f.fit); err != nil {
		return nil, err
	}
	return f, drawPoints(d.path(demoPicture), points)
}

func (d *demoCommand) path(name string) string { return filepath.Join(d.work, name) }

// commands are the command lines that fit, measure and apply the model, for
// files in dir.
func (d *demoCommand) commands(dir string) [][]string {
	data, unseen, model := filepath.Join(dir, demoData), filepath.Join(dir, demoNewData), filepath.Join(dir, demoModel)
	kept, seed := []string{"--label", "lobe", "--keep", "phase"}, []string{"--seed", strconv.FormatUint(d.seed, 10)}
	return [][]string{
		slices.Concat([]string{"fit", "landmark", data, "--kernel", demoKernel, "--rank", strconv.Itoa(demoRank)}, kept, seed, []string{"-o", model}),
		slices.Concat([]string{"verify", model, data, "--error", "sampled", "--sample", strconv.Itoa(demoSample)}, kept, seed),
		slices.Concat([]string{"transform", model, unseen}, kept, []string{"-o", filepath.Join(dir, demoEmbedding)}),
	}
}

// execute runs a command line of this program, and reads what it prints.
func (d *demoCommand) execute(ctx context.Context, args []string, result any) error {
	var out strings.Builder
	root := newRootCommand(newApp(ctx, d.in, &out, d.err))
	root.SetArgs(slices.Concat(args, d.globals()))
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	return json.Unmarshal([]byte(out.String()), result)
}

// globals are the global flags of the demo, as its commands get them.
func (d *demoCommand) globals() []string {
	flags := []string{"--format", "json", "--threads", strconv.Itoa(d.threads)}
	if d.memory > 0 {
		flags = append(flags, "--memory", strconv.FormatInt(int64(d.memory), 10))
	}
	if d.quiet {
		flags = append(flags, "--quiet")
	}
	return flags
}

// install moves the files to where they belong.
func (d *demoCommand) install() error {
	if err := os.MkdirAll(d.dir, 0o777); err != nil {
		return err
	}
	for _, name := range demoFiles {
		if err := os.Rename(d.path(name), filepath.Join(d.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// shellLine is a command line as one types it.
func shellLine(args []string) string {
	words := []string{"nystream"}
	for _, a := range args {
		plain := func(r rune) bool {
			return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,:=@%+", r)
		}
		if a == "" || strings.ContainsFunc(a, func(r rune) bool { return !plain(r) }) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
