package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// lab is a folder with the command, the data and the runs.
type lab struct {
	folder string
	parts  int
	env    []string // of the engine that is started

	mutex sync.Mutex
	known map[string]string // digests of one process, by the name of the fit
}

func newLab(ctx context.Context, folder string, parts int) (*lab, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	l := &lab{folder: folder, parts: parts, known: make(map[string]string)}
	if err := errors.Join(os.RemoveAll(l.path("runs")), os.MkdirAll(l.path("runs"), 0o777)); err != nil {
		return nil, err
	}
	if err := l.build(ctx, "nystream", "cmd/nystream"); err != nil {
		return nil, err
	}
	for name, seed := range map[string]uint64{"x.npy": 1, "other.npy": 2, "y.npy": 3} {
		if err := l.writeRows(name, 30_000, 5, seed); err != nil {
			return nil, err
		}
	}
	return l, l.writeOtherBuild()
}

func (l *lab) path(name ...string) string {
	return filepath.Join(append([]string{l.folder}, name...)...)
}

// build builds a program of the repository, in the module of its own folder.
func (l *lab) build(ctx context.Context, name, folder string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", l.path("bin", name), ".")
	cmd.Dir = filepath.Join(root(), folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// root returns the folder of the repository.
func root() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return "."
}

// recipe returns the path of a recipe.
func recipe(name string) string { return filepath.Join(root(), "cmd", "nystream", "recipes", name) }

// writeRows writes random rows, of which the last column is a class.
func (l *lab) writeRows(name string, rows, columns int, seed uint64) error {
	w, err := blockstore.Create(l.path(name), blockstore.Schema{Columns: stream.NumberedColumns(columns), Rows: int64(rows)})
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Commit
	b := &stream.Batch{X: stream.NewMatrix(10_000, columns)}
	for first := 0; first < rows; first += b.X.Rows {
		datasets.FillUniform(b.X, int64(first), seed)
		for i := range b.X.Rows {
			row := b.X.Data[i*columns : (i+1)*columns]
			row[columns-1] = 0
			if row[0]+row[1] > row[2]+0.5 {
				row[columns-1] = 1
			}
		}
		if err := w.Write(b, min(b.X.Rows, rows-first)); err != nil {
			return err
		}
	}
	return w.Commit()
}

// writeOtherBuild writes a copy of the command that calls itself another build.
func (l *lab) writeOtherBuild() error {
	data, err := os.ReadFile(l.path("bin", "nystream"))
	if err != nil {
		return err
	}
	id := regexp.MustCompile(`[\w-]{20}(/[\w-]{20}){3}`).Find(data[:min(len(data), 64<<10)])
	if id == nil {
		return errors.New("the command has no build ID")
	}
	other := bytes.Replace(data, id, bytes.Repeat([]byte("x"), len(id)), 1)
	return os.WriteFile(l.path("bin", "other"), other, 0o777)
}

// trial is a fit that is made in a folder of its own.
type trial struct {
	*lab
	fit
	folder string
	fails  bool         // the worker of part 2 does
	lines  string       // what sed makes of the numbers of parts before they are asked for
	log    bytes.Buffer // what its processes print
}

// newTrial makes the folder of a trial. In it is another one for a worker that sees other rows,
// with the same states.
func (l *lab) newTrial(name string, f fit) (*trial, error) {
	r := &trial{lab: l, fit: f, folder: l.path("runs", strings.Map(plain, name))}
	if err := errors.Join(os.RemoveAll(r.folder), os.MkdirAll(r.in("elsewhere"), 0o777), os.MkdirAll(r.in("st"), 0o777),
		os.Symlink("../st", r.in("elsewhere", "st")), os.Symlink(l.path("other.npy"), r.in("elsewhere", "x.npy"))); err != nil {
		return nil, err
	}
	for _, data := range []string{"x.npy", "y.npy"} {
		if err := os.Symlink(l.path(data), r.in(data)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func plain(c rune) rune {
	if strings.ContainsRune(" ,./", c) {
		return '-'
	}
	return c
}

// in returns a path in the folder of the trial.
func (r *trial) in(name ...string) string {
	return filepath.Join(append([]string{r.folder}, name...)...)
}

// program runs a program in the folder of the trial, with the command in the PATH.
func (r *trial) program(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	bin := r.path("bin")
	if r.fails {
		bin = r.in("bin")
	}
	cmd.Dir, cmd.Env = r.folder, slices.Concat(os.Environ(), r.env, []string{"PATH=" + bin + ":" + os.Getenv("PATH")})
	cmd.Stdout, cmd.Stderr = &r.log, &r.log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return nil
}

// digest returns that of what the trial has written.
func (r *trial) digest() (string, error) {
	sum := sha256.New()
	files := []string{"m.npz"}
	if r.factors {
		files = append(files, "u.npy")
	}
	for _, name := range files {
		data, err := os.ReadFile(r.in(name))
		if err != nil {
			return "", err
		}
		sum.Write(data)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

// reference returns the digest of a fit by one process.
func (l *lab) reference(ctx context.Context, f fit) (string, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if d, ok := l.known[f.name]; ok {
		return d, nil
	}
	r, err := l.newTrial("one process, "+f.name, f)
	if err == nil {
		err = r.program(ctx, l.path("bin", "nystream"), f.command()...)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", f.name, err, &r.log)
	}
	d, err := r.digest()
	l.known[f.name] = d
	return d, err
}

// result is what an engine made of a fit or a fault.
type result struct {
	of, words string
	err       error // it was not right
}

// try makes fits with an engine, and one while a worker fails in several ways.
func (l *lab) try(ctx context.Context, e engine, fits []fit, faults []fault) ([]result, error) {
	stop, err := e.begin(ctx, l)
	if err != nil {
		return nil, err
	}
	defer stop()
	results := make([]result, len(fits)+len(faults))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, e.atOnce))
	for i := range results {
		group.Go(func() error {
			r := &results[i]
			if i < len(fits) {
				r.of = fits[i].name
				r.words, r.err = l.made(ctx, e, fits[i])
			} else {
				r.of = faults[i-len(fits)].name
				r.words, r.err = l.failing(ctx, e, &faults[i-len(fits)])
			}
			return context.Cause(ctx)
		})
	}
	return results, group.Wait()
}

// made says what an engine made of a fit.
func (l *lab) made(ctx context.Context, e engine, f fit) (string, error) {
	if f.vary && e.counts {
		return "–", nil
	}
	want, err := l.reference(ctx, f)
	if err != nil {
		return "", err
	}
	r, err := l.newTrial(e.name+", "+f.name, f)
	if err != nil {
		return "", err
	}
	if err := e.fit(ctx, r); err != nil {
		return "", fmt.Errorf("%w: %s", err, &r.log)
	}
	return "same", r.is(want)
}

// is returns an error if what the trial has written is not what one process writes.
func (r *trial) is(want string) error {
	got, err := r.digest()
	if err == nil && got != want {
		err = fmt.Errorf("the bytes differ from those of one process, in %s", r.folder)
	}
	return err
}
