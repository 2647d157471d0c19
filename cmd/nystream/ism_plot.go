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

// draw writes a picture of the first two columns of XW, of a sample of the rows that
// depends on the seed alone if there are many, coloured by label or cluster.
func (j *ismJob) draw(ctx context.Context, path string) error {
	rows, err := j.plottedRows()
	if err != nil {
		return err
	}
	x, err := stream.GatherRows(ctx, j.prepared.left, rows)
	if err != nil {
		return err
	}
	xw := stream.NewMatrix(x.Rows, j.fit.Dim())
	j.fit.Project(xw, x)
	p := picture.NewPlot(j.plotTitle(len(rows)), axisWords(j.fit.Model, 0), axisWords(j.fit.Model, 1))
	p.X.Label.TextStyle.Font.Size, p.Y.Label.TextStyle.Font.Size = 10, 10
	p.Add(plotter.NewGrid())
	groups, names := j.groups(rows)
	picture.AddGroups(p, xw, groups, names)
	return picture.Draw(path, p, 18*vg.Centimeter, 15*vg.Centimeter)
}

func (j *ismJob) plottedRows() ([]int64, error) {
	n := j.prepared.left.Info().Rows
	s, err := sketch.NewSample(n, int(min(n, plotRows)), j.cmd.seed, "picture")
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

func (j *ismJob) plotTitle(shown int) string {
	title := "XW"
	if n := j.prepared.left.Info().Rows; int64(shown) < n {
		title += fmt.Sprintf(", %s of %s rows", show.Count(int64(shown)), show.Count(n))
	}
	return title + ", " + j.fit.Kernel.String()
}

// axisWords name what a column of W is made of; there may be one only.
func axisWords(m *ism.Model, k int) string {
	if k >= m.Dim() {
		return "class"
	}
	return fmt.Sprintf("xw%d = %s", k, loadingWords(loadingsOf(m)[k][:min(3, len(loadingsOf(m)[k]))]))
}

// groups are the numbers of the classes or clusters of some rows, and their names:
// the labels, if there are any.
func (j *ismJob) groups(rows []int64) (of []int, names []string) {
	all, names := j.labels, j.classes
	if all == nil {
		all, names = j.fit.Labels, nil
		for k := range j.cmd.task.clusters {
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
