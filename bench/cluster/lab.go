package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// lab runs the command nystream.
type lab struct {
	folder  string
	columns int
	spent   float64 // processor seconds of the commands so far
}

func newLab(ctx context.Context, o options) (*lab, error) {
	l := &lab{folder: o.out, columns: o.columns}
	build := exec.CommandContext(ctx, "go", "build", "-o", l.path("nystream"), "github.com/nystream/nystream/cmd/nystream")
	build.Stderr = os.Stderr
	return l, build.Run()
}

func (l *lab) path(name string) string { return filepath.Join(l.folder, name) }

// nystream runs one command on one thread, and decodes what it prints.
func (l *lab) nystream(ctx context.Context, report any, args ...string) error {
	cmd := exec.CommandContext(ctx, l.path("nystream"), append(args, "--threads=1", "--format=json", "--quiet")...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if cmd.ProcessState != nil {
		l.spent += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	}
	if err != nil {
		return fmt.Errorf("nystream %s: %w", args[0], err)
	}
	return json.Unmarshal(out, report)
}

// cost returns the processor seconds of what do runs, the least of a few times, each after
// prepare.
func (l *lab) cost(times int, prepare, do func() error) (least float64, err error) {
	for i := range times {
		if err := prepare(); err != nil {
			return 0, err
		}
		before := l.spent
		if err := do(); err != nil {
			return 0, err
		}
		if spent := l.spent - before; i == 0 || spent < least {
			least = spent
		}
	}
	return least, nil
}

// data returns a file of so many rows, and its size.
func (l *lab) data(rows int) (path string, bytes float64, err error) {
	path = l.path(fmt.Sprintf("%dx%d.parquet", rows, l.columns))
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := l.write(path, rows); err != nil {
			return "", 0, err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, err
	}
	return path, float64(info.Size()), nil
}

func (l *lab) write(path string, rows int) error {
	w, err := blockstore.Create(path, blockstore.Schema{Columns: stream.NumberedColumns(l.columns), Rows: int64(rows)})
	if err != nil {
		return err
	}
	defer w.Abort() // does nothing after Commit
	b := &stream.Batch{X: stream.NewMatrix(10_000, l.columns)}
	for first := 0; first < rows; first += b.X.Rows {
		datasets.FillUniform(b.X, int64(first), 7)
		if err := w.Write(b, min(b.X.Rows, rows-first)); err != nil {
			return err
		}
	}
	return w.Commit()
}

// fit returns the words of a fit.
func (l *lab) fit(method, data string, more ...string) []string {
	return append([]string{"fit", method, data, "--kernel=rbf", "--rank=50"}, more...)
}

// states is the folder of states.
func (l *lab) states() string { return l.path("states") }

func (l *lab) removeStates() error { return os.RemoveAll(l.states()) }

// shard is what nystream prints of a part, and of states that it joined.
type shard struct {
	Rows  int64  `json:"rows"`
	State string `json:"state"`
}

func (s *shard) size() (float64, error) {
	info, err := os.Stat(s.State)
	if err != nil {
		return 0, err
	}
	return float64(info.Size()), nil
}

// measured is a fit whose costs are measured.
type measured struct {
	*lab
	method, data string
}

// part makes the state of a part.
func (m *measured) part(ctx context.Context, number, of int) (s shard, err error) {
	err = m.nystream(ctx, &s, m.fit(m.method, m.data, "--states="+m.states(), fmt.Sprintf("--shard=%d/%d", number, of))...)
	return s, err
}

// parts makes the states of all parts, and returns the bytes of the last.
func (m *measured) parts(ctx context.Context, of int) (bytes float64, err error) {
	for p := range of {
		s, err := m.part(ctx, p+1, of)
		if err != nil {
			return 0, err
		}
		if bytes, err = s.size(); err != nil {
			return 0, err
		}
	}
	return bytes, nil
}

// end makes the model of the states that are there.
func (m *measured) end(ctx context.Context) error {
	return m.nystream(ctx, new(shard), m.fit(m.method, m.data, "--states="+m.states(), "--keep-states", "-o", m.path("model.npz"))...)
}

// times is how often what is measured is done.
const times = 3

// replay measures a part of nothing, by a process that finds the landmarks beside the states, and
// by one that fetches them.
func (m *measured) replay(ctx context.Context, c *costs) (err error) {
	number := 0
	nothing := func() error { number++; _, err := m.part(ctx, number, 1<<20); return err }
	alone, err := m.cost(times, m.removeStates, nothing)
	if err != nil {
		return err
	}
	c.replay, err = m.cost(times, func() error { return nil }, nothing)
	c.fetch = max(0, alone-c.replay)
	return err
}

// with returns the costs for a file of other rows: fetching is longer where the landmarks are
// in more pages, until each has its own.
func (l *lab) with(ctx context.Context, c costs, method string, rows int) (*costs, error) {
	data, _, err := l.data(rows)
	if err != nil {
		return nil, err
	}
	before := c.replay
	err = (&measured{l, method, data}).replay(ctx, &c)
	c.end += c.replay - before
	return &c, err
}

// measure measures a fit of so many rows.
func (l *lab) measure(ctx context.Context, method string, rows int) (*costs, error) {
	data, bytes, err := l.data(rows)
	if err != nil {
		return nil, err
	}
	m := &measured{l, method, data}
	c := &costs{blockRows: float64(stream.BlockRows(l.columns)), rowBytes: bytes / float64(rows), landmarks: fetched}
	if err = m.replay(ctx, c); err != nil {
		return nil, err
	}
	whole, err := l.cost(times, l.removeStates, func() error { _, err := m.part(ctx, 1, 1); return err })
	if err != nil {
		return nil, err
	}
	c.block = (whole - c.fetch - c.replay) / float64(c.blocks(float64(rows)))
	join, err := l.cost(times, func() error {
		if err := l.removeStates(); err != nil {
			return err
		}
		c.state, err = m.parts(ctx, parts)
		return err
	}, func() error {
		return l.nystream(ctx, new(shard), l.fit(method, data, "--states="+l.states(), "--join")...)
	})
	if err != nil {
		return nil, err
	}
	c.join = max(0, join-c.replay) / parts
	c.end, err = l.cost(times, func() error { return nil }, func() error { return m.end(ctx) })
	return c, err
}

// inParts makes a fit in parts, one after the other, and returns its processor seconds, the
// least of a few times.
func (l *lab) inParts(ctx context.Context, method string, rows, parts int) (float64, error) {
	data, _, err := l.data(rows)
	if err != nil {
		return 0, err
	}
	m := &measured{l, method, data}
	return l.cost(times, l.removeStates, func() error {
		if _, err := m.parts(ctx, parts); err != nil {
			return err
		}
		return m.end(ctx)
	})
}
