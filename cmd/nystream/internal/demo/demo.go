// Package demo is the command that makes data, fits a model to them, and draws what
// it found.
package demo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

// Host is the command that the demo is a part of.
type Host interface {
	Seed() uint64
	// Run runs a command line with the global flags of this one, and reads what it
	// prints, as JSON, into result.
	Run(ctx context.Context, args []string, result any) error
	Print(v any, t *show.Text) error
	Usagef(format string, args ...any) error // an error of wrong usage
	CheckFolder(flag, path string) error     // refuses a file that could not be made beside path
	Seconds() float64                        // since the program began
	PeakRSS() int64                          // bytes
}

// command is one command line of demo.
type command struct {
	host Host
	rows int64
	dir  string
	work string // where the files are made before they go to dir
}

// The files of the demo.
const (
	dataFile      = "knot.parquet"
	newFile       = "new.parquet"
	ModelFile     = "knot.npz"
	embeddingFile = "new-embedding.parquet"
	SpectrumFile  = "spectrum.svg"
	PictureFile   = "embedding.svg"
)

var files = []string{dataFile, newFile, ModelFile, embeddingFile, SpectrumFile, PictureFile}

// What the demo fits. The kernel reaches far enough along the knot for the columns of
// U to be smooth, and hardly to the next strand of it.
const (
	kernel    = "rbf(gamma=2)"
	Rank      = 60
	NewRows   = 5000 // that the model has never seen
	sample    = 1500
	leastRows = 2000
)

// New returns the command demo.
func New(host Host) *cobra.Command {
	d := &command{host: host}
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
	if err := cmd.MarkFlagDirname("dir"); err != nil {
		panic(err)
	}
	return cmd
}

// run does the steps in a folder of its own, and moves the files last of all.
func (d *command) run(ctx context.Context) (err error) {
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
func (d *command) check() error {
	if d.rows < leastRows {
		return d.host.Usagef("--rows %d: the demo needs at least %d", d.rows, leastRows)
	}
	entries, err := os.ReadDir(d.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.host.CheckFolder("--dir", filepath.Clean(d.dir))
	case err != nil:
		return d.host.Usagef("--dir %s: %v", d.dir, errors.Unwrap(err))
	}
	for _, e := range entries {
		if !slices.Contains(files, e.Name()) {
			return d.host.Usagef("--dir %s: this folder holds %s, which no demo has made; name another folder", d.dir, e.Name())
		}
	}
	return d.host.CheckFolder("--dir", filepath.Clean(d.dir))
}

// found is what the steps have found out.
type found struct {
	fit        fitted
	verify     verified
	transform  struct{ Rows int64 }
	phaseError float64
}

// fitted is what the demo shows of a fit.
type fitted struct {
	Method        string         `json:"method"`
	Kernel        string         `json:"kernel"`
	Rows          int64          `json:"rows"`
	Rank          int            `json:"rank"`
	Values        []show.Number  `json:"values"`
	Shift         show.Number    `json:"shift"`
	Passes        map[string]int `json:"passes"`
	KernelEntries int64          `json:"kernel_entries"`
	Seconds       show.Number    `json:"seconds"`
}

// verified is what it shows of a measurement.
type verified struct {
	SpectralError  show.Number `json:"relative_spectral_error"`
	FrobeniusError show.Number `json:"relative_frobenius_error"`
	Rows           int64       `json:"rows"`
}

// steps makes all files. The model is made, measured and applied by the
// commands that the report shows.
func (d *command) steps(ctx context.Context) (*found, error) {
	k, f := newKnot(d.host.Seed()), &found{}
	if err := k.write(ctx, d.path(dataFile), 0, d.rows); err != nil {
		return nil, err
	}
	if err := k.write(ctx, d.path(newFile), d.rows, NewRows); err != nil {
		return nil, err
	}
	results := []any{&f.fit, &f.verify, &f.transform}
	for i, command := range d.commands(d.work) {
		if err := d.host.Run(ctx, command, results[i]); err != nil {
			return nil, err
		}
	}
	points, err := d.readPoints(ctx)
	if err != nil {
		return nil, err
	}
	f.phaseError = points.phaseError()
	if err := drawSpectrum(d.path(SpectrumFile), &f.fit); err != nil {
		return nil, err
	}
	return f, drawPoints(d.path(PictureFile), points)
}

func (d *command) path(name string) string { return filepath.Join(d.work, name) }

// commands returns the command lines that fit, measure and apply the model, for
// files in dir.
func (d *command) commands(dir string) [][]string {
	data, unseen, model := filepath.Join(dir, dataFile), filepath.Join(dir, newFile), filepath.Join(dir, ModelFile)
	kept, seed := []string{"--label", "lobe", "--keep", "phase"}, []string{"--seed", strconv.FormatUint(d.host.Seed(), 10)}
	return [][]string{
		slices.Concat([]string{"fit", "landmark", data, "--kernel", kernel, "--rank", strconv.Itoa(Rank)}, kept, seed, []string{"-o", model}),
		slices.Concat([]string{"verify", model, data, "--error", "sampled", "--sample", strconv.Itoa(sample)}, kept, seed),
		slices.Concat([]string{"transform", model, unseen}, kept, []string{"-o", filepath.Join(dir, embeddingFile)}),
	}
}

// install moves the files to where they belong.
func (d *command) install() error {
	if err := os.MkdirAll(d.dir, 0o777); err != nil {
		return err
	}
	for _, name := range files {
		if err := os.Rename(d.path(name), filepath.Join(d.dir, name)); err != nil {
			return err
		}
	}
	return nil
}
