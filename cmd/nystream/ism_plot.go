package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/nystream/nystream/cmd/nystream/internal/picture"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/model"
)

// charts returns the rows in the first columns of XW, coloured by label or cluster, what W
// is made of, the objective, the eigenvalues, and how labels and clusters go together.
func (c *ismTask) charts(ctx context.Context, m model.Model, r *model.Report) ([]picture.Chart, error) {
	s, err := c.sample(ctx, model.Left)
	if err != nil {
		return nil, err
	}
	e, err := c.embedding(ctx, c.fitting.Model, model.Left, s)
	if err != nil {
		return nil, err
	}
	weights := make([][]float64, c.fitting.W.Rows)
	for i := range weights {
		weights[i] = c.fitting.W.Data[i*c.fitting.W.Stride:][:min(plotColumns, c.fitting.Dim())]
	}
	names := e.names
	loadings := loadingGrid("Loadings: the columns of W", "weight", c.fitting.Columns, names, weights)
	e.names = make([]string, len(names))
	for k := range names {
		e.names[k] = axisWords(c.fitting.Model, k)
	}
	groups, shades := c.marks(s, model.Left)
	list := e.panels("Rows", s.words(), groups, shades)
	for k, chart := range list { // whose axes have the loadings
		chart.(*picture.Points).Title = fmt.Sprintf("Rows in columns of XW, %d and %d%s", 2*k, 2*k+1, s.words())
		if len(names) == 1 {
			chart.(*picture.Points).Title = "Rows in the column of XW" + s.words()
		}
	}
	list = addSpectrum(append(list, loadings), m.Describe(), r)
	objective := &picture.Lines{Title: "Objective of each W that was accepted", X: "step", Y: "objective", Series: []picture.Series{{Name: "objective"}}}
	for _, h := range c.fitting.History {
		if h.Accepted {
			objective.Series[0].Values = append(objective.Series[0].Values, h.Objective)
		}
	}
	list = append(list, objective)
	if c.labels != nil && c.fitting.Labels != nil {
		return c.addFound(list)
	}
	return list, nil
}

// addFound adds how labels and clusters go together.
func (c *ismTask) addFound(list []picture.Chart) ([]picture.Chart, error) {
	counts := make([][]int64, len(c.classes))
	for k := range counts {
		counts[k] = make([]int64, c.how.Clusters)
	}
	for i, l := range c.labels {
		counts[l][c.fitting.Labels[i]]++
	}
	return append(list, confusionGrid("Rows of each label in each cluster", "label", "cluster", counts, c.classes, c.clusterNames())), nil
}

func (c *ismTask) clusterNames() (names []string) {
	for k := range c.how.Clusters {
		names = append(names, "cluster "+strconv.Itoa(k))
	}
	return names
}

func (c *ismTask) score(*model.Report) string {
	score := fmt.Sprintf("HSIC %.3g", c.hsic())
	switch {
	case c.choosesClasses() && c.folds > 0:
		score = fmt.Sprintf("score %.3f out of fold", c.unseen)
	case c.choosesClasses():
		score = fmt.Sprintf("score %.3f of the rows of the fit", c.seen)
	}
	if c.nmi != nil {
		score += fmt.Sprintf(", NMI %.3f with --label", float64(*c.nmi))
	}
	return score
}

// hsic is the objective over the square of the rows less one.
func (c *ismTask) hsic() float64 {
	n := float64(max(1, c.fitting.Rows-1))
	return c.fitting.Objective / n / n
}

// axisWords name what a column of W is made of.
func axisWords(m *ism.Model, k int) string {
	of := loadingsOf(m)[k]
	return fmt.Sprintf("xw%d = %s", k, loadingWords(of[:min(3, len(of))]))
}

// marks returns the classes or clusters of some rows: the labels, if there are any; nothing
// for real targets, or several labels for a row.
func (c *ismTask) marks(s *sampled, _ model.Side) (*picture.Groups, *picture.Shades) {
	all, names := c.labels, c.classes
	if all == nil {
		all, names = c.fitting.Labels, c.clusterNames()
	}
	return groupsOf(s.numbers, all, names), nil
}

// groupsOf returns the groups of some rows, nil if none are known.
func groupsOf(rows []int64, of []int, names []string) *picture.Groups {
	if of == nil {
		return nil
	}
	g := &picture.Groups{Names: names}
	for _, r := range rows {
		g.Of = append(g.Of, of[r])
	}
	return g
}
