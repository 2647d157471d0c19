package main

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// toyFamily are the means of columns: what a new family needs to be in the command,
// besides its model and its line in families.
var toyFamily = &family{
	savedFamily: savedFamily{
		name:       "toy",
		methods:    []string{"toy"},
		load:       loader(loadToy),
		unverified: ": means are what they are",
	},
	fitters: []fitter{{"toy", "DATA...", newToyTask}},
}

// toyTask is a fit of the toy family.
type toyTask struct {
	job   *job
	times float64
}

func newToyTask(j *job) *fitTask {
	c := &toyTask{job: j}
	j.set.Add(flags.Flag{Name: "times", Arg: "number", Usage: "number that means are multiplied by", Value: flags.Float(&c.times, 1)})
	j.addFactors("factors", "U", model.Left, "write how far rows are from the means")
	return &fitTask{refuses: c.refuses, title: c.title, plan: c.plan, fit: c.fit, fitted: c.fitted}
}

func (c *toyTask) refuses(refuse *flags.Refusals, args []string) {
	refuse.When(len(args) == 0, noData)
	refuse.When(c.times <= 0, "--times must be above 0")
}

func (c *toyTask) title() string {
	return fmt.Sprintf("toy model of %s rows", report.Count(c.job.shape().Rows))
}

func (c *toyTask) plan(e stream.Engine) (*model.Plan, error) {
	return planToy(e, c.job.shape()), nil
}

func (c *toyTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	m, err := fitToy(ctx, e, c.job.sides.prepared.left, c.times)
	return m, &model.Report{SourcePasses: 1, Notes: []string{"`times` was " + fmt.Sprint(c.times)}}, err
}

func (c *toyTask) planned(*planResult, *report.Report) {}

func (c *toyTask) fitted(d *model.Description, r *report.Report) {
	r.Add("means", "%s", report.Values(d.Values))
}
