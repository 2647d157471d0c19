package main

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// toyFamily is the means of columns: all that the command needs of a family, besides its line in families.
var toyFamily = &fit.Family{
	Family: saved.Family{
		Name:           "toy",
		Methods:        []string{"toy"},
		Load:           saved.Loader(loadToy),
		WhyNotVerified: ": means are what they are",
	},
	Verbs: []fit.Verb{{Name: "toy", Args: "DATA...", New: newToyTask}},
}

// toyTask is a fit of the toy family.
type toyTask struct {
	job   *fit.Job
	times float64
}

func newToyTask(j *fit.Job) *fit.Task {
	c := &toyTask{job: j}
	j.Set.Add(flags.Flag{Name: "times", Arg: "number", Usage: "number that means are multiplied by", Value: flags.Float(&c.times, 1)})
	j.AddFactors("factors", "U", model.Left, "write how far rows are from the means")
	return &fit.Task{Refuses: c.refuses, Title: c.title, Plan: c.plan, Fit: c.fit, Fitted: c.fitted}
}

func (c *toyTask) refuses(refuse *flags.Refusals, args []string) {
	refuse.When(len(args) == 0, rows.NoData)
	refuse.When(c.times <= 0, "--times must be above 0")
}

func (c *toyTask) title() string {
	return fmt.Sprintf("toy model of %s rows", report.Count(c.job.Size().Rows))
}

func (c *toyTask) plan(e stream.Engine) (*model.Plan, error) {
	return planToy(e, c.job.Size()), nil
}

func (c *toyTask) fit(ctx context.Context, e stream.Engine) (model.Model, *model.Report, error) {
	m, err := fitToy(ctx, e, c.job.Sides.Prepared.Left, c.times)
	return m, &model.Report{SourcePasses: 1, Notes: []string{"`times` was " + fmt.Sprint(c.times)}}, err
}

func (c *toyTask) fitted(d *model.Description, r *report.Report) {
	r.Add("means", "%s", report.Values(d.Values))
}
