package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/model"
)

func (c *ismTask) planned(r *planResult, _ *show.Text) {
	r.Kernel, r.Columns = c.job.kernel.String(), int64(r.Dimension)
}

// ismLoading is what a column of the data weighs in a column of W.
type ismLoading struct {
	Column string      `json:"column"`
	Weight show.Number `json:"weight"`
}

// mostLoadings is how many columns of the data the report names for a column of W.
const mostLoadings = 5

func loadingsOf(m *ism.Model) (list [][]ismLoading) {
	for _, column := range m.Loadings(mostLoadings) {
		named := []ismLoading{}
		for _, l := range column {
			named = append(named, ismLoading{l.Name, show.Number(l.Weight)})
		}
		list = append(list, named)
	}
	return list
}

// loadingWords returns a line about a column of W.
func loadingWords(column []ismLoading) string {
	var words []string
	for _, l := range column {
		words = append(words, fmt.Sprintf("%+.2f·%s", float64(l.Weight), l.Column))
	}
	return strings.ReplaceAll(strings.Join(words, "  "), "-", "−")
}

// inspectISM adds what inspect tells besides what it tells of all models.
func inspectISM(m model.Model, r *show.Report) { r.Put("loadings", loadingsOf(m.(*ism.Model))) }

func (c *ismTask) fitted(d *model.Description, r *show.Report) {
	f, known := c.fitting, c.knownWords()
	r.Put("paradigm", f.Paradigm.String())
	r.Add("kernel", "%s", d.Kernel)
	r.PutSome("known", known)
	if known != "" {
		r.Add("known", "%s", known)
	}
	r.PutSome("classes", c.classes)
	if len(c.classes) > 0 {
		r.Add("classes", "%d: %s", len(c.classes), show.Words(c.classes))
	}
	putClusters(r, f.Labels, c.how.Clusters)
	if c.choosesClasses() {
		r.PutSome("score", c.seen) // accuracy on the rows of the fit
		r.Add("score", "%.4f of the rows of the fit are put into their class", c.seen)
	}
	if c.labels != nil && f.Labels != nil {
		r.PutSome("nmi", c.nmi) // between clusters and --label
		r.Add("NMI", "%.3f between clusters and --label", c.nmi)
	}
	if mu := c.solver().Mu; mu > 0 {
		r.Put("mu", mu)
	}
	r.Put("engine", f.Engine.String())
	r.PutSome("landmarks", f.Landmarks) // for the first kernel of a sum
	r.PutSome("feature_error", f.FeatureError)
	features := ""
	if f.Landmarks > 0 && !math.IsNaN(f.FeatureError) {
		features = fmt.Sprintf(", %d landmarks, which leave %.1e of the trace of the kernel", f.Landmarks, f.FeatureError)
	}
	r.Add("engine", "%s%s", f.Engine, features)
	r.Put("objective", f.History) // of each W that was accepted, in order
	r.Add("objective", "%s", show.Values(f.History))
	r.Put("hsic", f.Objective/math.Pow(float64(max(1, f.Rows-1)), 2))
	r.Put("iterations", f.Iterations)
	r.Put("damped", f.Damped) // of them
	r.Put("rounds", f.Rounds) // of clusters and W in turn
	r.Put("converged", !f.NotConverged)
	r.Add("iterations", "%d%s%s%s", f.Iterations, countedWords(f.Damped, " damped"), countedWords(f.Rounds-1, " more turns of clusters and W"),
		map[bool]string{true: "; not converged"}[f.NotConverged])
	r.Add("eigenvalues", "%s", show.Values(d.Values))
	loadings := loadingsOf(f.Model)
	r.Put("loadings", loadings) // for each column of W, largest first
	for k, column := range loadings {
		r.Add(fmt.Sprintf("xw%d", k), "%s", loadingWords(column))
	}
}

// countedWords adds a number of something, if there is any.
func countedWords(n int, what string) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", %d%s", n, what)
}
