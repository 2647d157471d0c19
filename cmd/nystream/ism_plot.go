package main

import (
	"context"
	"fmt"
	"strconv"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/stream"
)

// plotRows is how many rows a picture shows at most, and plotNumbers about what one
// takes in it, in numbers.
const (
	plotRows    = 5000
	plotNumbers = 40
)

// plot returns a picture of the first two columns of XW, of a sample of the rows that
// depends on the seed alone if there are many, coloured by label or cluster.
func (c *ismTask) plot(ctx context.Context) (drawing, error) {
	rows, err := c.plottedRows()
	if err != nil {
		return nil, err
	}
	x, err := stream.GatherRows(ctx, c.prepared.left, rows)
	if err != nil {
		return nil, err
	}
	xw := stream.NewMatrix(x.Rows, c.fitting.Dim())
	c.fitting.Project(xw, x)
	p := picture.NewPlot(c.plotTitle(len(rows)), axisWords(c.fitting.Model, 0), axisWords(c.fitting.Model, 1))
	p.X.Label.TextStyle.Font.Size, p.Y.Label.TextStyle.Font.Size = 10, 10
	p.Add(plotter.NewGrid())
	groups, names := c.groups(rows)
	picture.AddGroups(p, xw, groups, names)
	return func() error { return picture.Draw(c.plotFile, p, 18*vg.Centimeter, 15*vg.Centimeter) }, nil
}

// drawing is a picture on its way: it writes the file, or nothing.
type drawing func() error

// Commit writes the file.
func (d drawing) Commit() error { return d() }

// Abort has nothing to take back.
func (d drawing) Abort() {}

// plottedRows returns the rows that a picture shows.
func (j *job) plottedRows() ([]int64, error) {
	n := j.prepared.left.Info().Rows
	s, err := sketch.NewSample(n, int(min(n, plotRows)), j.seed, "picture")
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

func (c *ismTask) plotTitle(shown int) string {
	title := "XW"
	if n := c.prepared.left.Info().Rows; int64(shown) < n {
		title += fmt.Sprintf(", %s of %s rows", show.Count(int64(shown)), show.Count(n))
	}
	return title + ", " + c.fitting.Kernel.String()
}

// axisWords name what a column of W is made of; there may be one only.
func axisWords(m *ism.Model, k int) string {
	if k >= m.Dim() {
		return "class"
	}
	return fmt.Sprintf("xw%d = %s", k, loadingWords(loadingsOf(m)[k][:min(3, len(loadingsOf(m)[k]))]))
}

// groups returns the numbers of the classes or clusters of some rows, and their names:
// the labels, if there are any.
func (c *ismTask) groups(rows []int64) (of []int, names []string) {
	all, names := c.labels, c.classes
	if all == nil {
		all, names = c.fitting.Labels, nil
		for k := range c.how.Clusters {
			names = append(names, "cluster "+strconv.Itoa(k))
		}
	}
	of = make([]int, len(rows))
	if all == nil { // real targets, or several labels for a row
		return of, nil
	}
	for i, r := range rows {
		of[i] = all[r]
	}
	return of, names
}
