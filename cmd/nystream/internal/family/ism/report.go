package ism

import (
	"fmt"
	"math"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/fit"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/model"
)

func (c *task) planned(r *fit.PlanResult, _ *report.Report) {
	r.Kernel, r.Columns = c.job.Kernel.String(), int64(r.Dimension)
}

// ismLoading is the weight of a data column in a column of W.
type ismLoading struct {
	Column string        `json:"column"`
	Weight report.Number `json:"weight"`
}

// maxLoadings is the number of data columns that the report lists for a column of W.
const maxLoadings = 5

func loadingsOf(m *ism.Model) (list [][]ismLoading) {
	for _, column := range m.Loadings(maxLoadings) {
		named := []ismLoading{}
		for _, l := range column {
			named = append(named, ismLoading{l.Name, report.Number(l.Weight)})
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

// inspectISM adds the facts specific to this family to inspect.
func inspectISM(m model.Model, r *report.Report) { r.Put(keyLoadings, loadingsOf(m.(*ism.Model))) }

// ismKeys has the JSON keys of fit ism.
var ismKeys = report.NewGroup("fit ism")

var (
	keyParadigm     = ismKeys.Key("paradigm", "kind of supervision: supervised, unsupervised, semisupervised or alternative")
	keyScore        = ismKeys.Key("score", "accuracy on the rows of the fit")
	keyNMI          = ismKeys.Key("nmi", "normalized mutual information between clusters and --label")
	keyMu           = ismKeys.Key("mu", "weight of --scores or --given-label (--mu)")
	keyFeatureError = ismKeys.Key("feature_error", "share of the trace of the kernel outside the landmarks")
	keyObjective    = ismKeys.Key("objective", "objective of each accepted W")
	keyHSIC         = ismKeys.Key("hsic", "Hilbert-Schmidt independence criterion of the last W")
	keyDamped       = ismKeys.Key("damped", "number of damped iterations")
	keyTurns        = ismKeys.Key("rounds", "number of alternations between clusters and W")
	keyLoadings     = ismKeys.Key("loadings", "largest weights of each column of W: column, weight")
)

func (c *task) fitted(d *model.Description, r *report.Report) {
	f, known := c.fitting, c.responseWords()
	r.Put(keyParadigm, f.Paradigm.String())
	r.Add("kernel", "%s", report.Rounded(d.Kernel))
	if known != "" {
		r.Show(report.KeyKnown, known, "supervised by", "%s", known)
	}
	report.PutClasses(r, c.classes)
	report.PutClusters(r, f.Labels, c.settings.Clusters)
	if c.classifies() {
		r.PutSome(keyScore, c.trainAccuracy)
		r.Add("accuracy", "%.4f (training rows)", c.trainAccuracy)
	}
	if c.labels != nil && f.Labels != nil {
		r.PutSome(keyNMI, c.nmi)
		r.Add("NMI", "%.3f between clusters and --label", c.nmi)
	}
	if mu := c.solver().Mu; mu > 0 {
		r.Put(keyMu, mu)
	}
	features := ""
	if f.Landmarks > 0 && !math.IsNaN(f.FeatureError) {
		features = fmt.Sprintf(", %d landmarks that miss %.1e of the trace of the kernel", f.Landmarks, f.FeatureError)
	}
	r.Show(report.KeyEngine, f.Algorithm.String(), "engine", "%s%s", f.Algorithm, features)
	r.PutSome(report.KeyLandmarks, f.Landmarks)
	r.PutSome(keyFeatureError, f.FeatureError)
	r.Show(keyObjective, f.History, "objective", "%s", report.Values(f.History))
	r.Put(keyHSIC, f.Objective/math.Pow(float64(max(1, f.Rows-1)), 2))
	r.Show(report.KeyIterations, f.Iterations, "iterations", "%d%s%s%s", f.Iterations, countedWords(f.Damped, " damped"),
		countedWords(f.Rounds-1, " more rounds of clusters and W"), map[bool]string{true: "; not converged"}[f.NotConverged])
	r.Put(keyDamped, f.Damped)
	r.Put(keyTurns, f.Rounds)
	r.Put(report.KeyConverged, !f.NotConverged)
	r.Add("eigenvalues", "%s", report.Values(d.Values))
	loadings := loadingsOf(f.Model)
	r.Put(keyLoadings, loadings)
	for k, column := range loadings {
		r.Add(fmt.Sprintf("xw%d", k), "%s", loadingWords(column))
	}
}

// countedWords returns a positive count in words, "" for 0.
func countedWords(n int, what string) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", %d%s", n, what)
}
