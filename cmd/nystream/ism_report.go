package main

import (
	"fmt"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/model"
)

func (c *ismTask) planned(r *planResult, _ *show.Text) {
	r.Kernel, r.Columns = c.kernel.String(), int64(r.Dimension)
}

// ismResult is what fit prints as JSON of ism.
type ismResult struct {
	*fitResult
	Engine   string   `json:"engine"`
	Paradigm string   `json:"paradigm"`
	Known    string   `json:"known,omitempty"`
	Classes  []string `json:"classes,omitempty"`
	clusterFigures
	NMI          *show.Number   `json:"nmi,omitempty"` // between clusters and --label
	Mu           *show.Number   `json:"mu,omitempty"`
	Iterations   int            `json:"iterations"`
	Damped       int            `json:"damped"` // of them
	Rounds       int            `json:"rounds"` // of clusters and W in turn
	Converged    bool           `json:"converged"`
	Objective    []show.Number  `json:"objective"`           // of each W that was accepted, in order
	HSIC         show.Number    `json:"hsic"`                // objective/(rows−1)²
	Landmarks    int            `json:"landmarks,omitempty"` // for the first kernel of a sum
	FeatureError *show.Number   `json:"feature_error,omitempty"`
	Loadings     [][]ismLoading `json:"loadings"`        // for each column of W, largest first
	Score        *show.Number   `json:"score,omitempty"` // accuracy on the rows of the fit
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

// inspectISM returns what inspect tells besides what it tells of all models.
func inspectISM(m model.Model) any {
	return struct {
		Loadings [][]ismLoading `json:"loadings"`
	}{loadingsOf(m.(*ism.Model))}
}

// hsic is the objective over the square of the rows less one.
func (c *ismTask) hsic() float64 {
	n := float64(max(1, c.fitting.Rows-1))
	return c.fitting.Objective / n / n
}

func (c *ismTask) fitted(base *fitResult, t *show.Text) any {
	f := c.fitting
	r := &ismResult{fitResult: base, Engine: f.Engine.String(), Paradigm: f.Paradigm.String(), Known: c.knownWords(),
		Classes: c.classes, clusterFigures: countClusters(f.Labels, c.how.Clusters), NMI: c.nmi,
		Iterations: f.Iterations, Damped: f.Damped, Rounds: f.Rounds, Converged: !f.NotConverged, Objective: []show.Number{},
		HSIC:      show.Number(c.hsic()),
		Landmarks: f.Landmarks, FeatureError: show.Optional(f.FeatureError), Loadings: loadingsOf(f.Model)}
	for _, j := range f.History {
		r.Objective = append(r.Objective, show.Number(j))
	}
	if c.choosesClasses() {
		r.Score = show.Optional(c.seen)
	}
	if mu := c.solver().Mu; mu > 0 {
		r.Mu = show.Optional(mu)
	}
	r.text(t)
	return r
}

// text adds lines about what other families do not have.
func (r *ismResult) text(t *show.Text) {
	t.Add("kernel", "%s", r.Kernel)
	if r.Known != "" {
		t.Add("known", "%s", r.Known)
	}
	if len(r.Classes) > 0 {
		t.Add("classes", "%d: %s", len(r.Classes), show.Words(r.Classes))
	}
	r.clusterFigures.text(t)
	if r.Score != nil {
		t.Add("score", "%.4f of the rows of the fit are put into their class", float64(*r.Score))
	}
	if r.NMI != nil {
		t.Add("NMI", "%.3f between clusters and --label", float64(*r.NMI))
	}
	t.Add("engine", "%s%s", r.Engine, r.featureWords())
	t.Add("objective", "%s", show.Values(show.Floats(r.Objective)))
	t.Add("iterations", "%d%s%s%s", r.Iterations, countedWords(r.Damped, " damped"), countedWords(r.Rounds-1, " more turns of clusters and W"),
		map[bool]string{false: "; not converged"}[r.Converged])
	t.Add("eigenvalues", "%s", show.Values(show.Floats(r.Values)))
	for k, column := range r.Loadings {
		t.Add(fmt.Sprintf("xw%d", k), "%s", loadingWords(column))
	}
}

func (r *ismResult) featureWords() string {
	if r.Landmarks == 0 || r.FeatureError == nil {
		return ""
	}
	return fmt.Sprintf(", %d landmarks, which leave %.1e of the trace of the kernel", r.Landmarks, float64(*r.FeatureError))
}

// countedWords adds a number of something, if there is any.
func countedWords(n int, what string) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", %d%s", n, what)
}
