package main

import (
	"fmt"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/ism"
)

// ismResult is what fit ism prints as JSON.
type ismResult struct {
	Method         string         `json:"method"`
	Engine         string         `json:"engine"`
	Paradigm       string         `json:"paradigm"`
	Kernel         string         `json:"kernel"`
	Known          string         `json:"known,omitempty"`
	Rows           int64          `json:"rows"`
	Columns        int            `json:"columns"`
	Dim            int            `json:"dim"`
	Classes        []string       `json:"classes,omitempty"`
	Clusters       int            `json:"clusters,omitempty"`
	ClusterSizes   []int          `json:"cluster_sizes,omitempty"`
	NMI            *show.Number   `json:"nmi,omitempty"` // between clusters and --label
	Mu             *show.Number   `json:"mu,omitempty"`
	Iterations     int            `json:"iterations"`
	Damped         int            `json:"damped"` // of them
	Rounds         int            `json:"rounds"` // of clusters and W in turn
	Settled        bool           `json:"settled"`
	Objective      []show.Number  `json:"objective"` // of each W that was accepted, in order
	HSIC           show.Number    `json:"hsic"`      // objective/(rows−1)²
	Eigenvalues    []show.Number  `json:"eigenvalues"`
	Residual       show.Number    `json:"residual"` // ‖ΦW−WΛ‖/‖Φ‖
	Features       int            `json:"features,omitempty"`
	FeatureError   *show.Number   `json:"feature_error,omitempty"`
	Loadings       [][]ismLoading `json:"loadings"` // for each column of W, largest first
	Passes         map[string]int `json:"passes"`   // of the method
	Scans          map[string]int `json:"scans"`    // before: to open text, for labels, nulls and scaling
	ExactPasses    int            `json:"exact_passes"`
	KernelEntries  int64          `json:"kernel_entries"`
	Seconds        show.Number    `json:"seconds"`
	PeakRSSBytes   int64          `json:"peak_rss_bytes"`
	Seed           uint64         `json:"seed"`
	RowsDropped    int64          `json:"rows_dropped"`
	ColumnsLeftOut []string       `json:"columns_left_out"`
	Notes          []string       `json:"notes"`
	Output         string         `json:"output"`
	ClustersOutput string         `json:"clusters_output,omitempty"`
	Plot           string         `json:"plot,omitempty"`
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

// loadingWords is a line about a column of W.
func loadingWords(column []ismLoading) string {
	var words []string
	for _, l := range column {
		words = append(words, fmt.Sprintf("%+.2f·%s", float64(l.Weight), l.Column))
	}
	return strings.ReplaceAll(strings.Join(words, "  "), "-", "−")
}

// knownWords are the flag and the columns, or the file, of what was known.
func (j *ismJob) knownWords() string {
	paradigm := j.cmd.task.paradigmOf()
	for _, s := range j.asides {
		if s.flag != "--label" || paradigm == ism.Supervised {
			return s.named()
		}
	}
	return ""
}

// result collects what is known about a finished fit.
func (j *ismJob) result() *ismResult {
	f, c := j.fit, j.cmd
	r := &ismResult{Method: ismName, Engine: f.Engine.String(), Paradigm: f.Paradigm.String(), Kernel: f.Kernel.String(), Known: j.knownWords(),
		Rows: f.Rows, Columns: f.W.Rows, Dim: f.Dim(), Classes: j.classes, Clusters: c.task.clusters, NMI: j.nmi,
		Iterations: f.Iterations, Damped: f.Damped, Rounds: f.Rounds, Settled: !f.Unsettled, Objective: []show.Number{},
		HSIC: show.Number(f.Objective / float64(max(1, f.Rows-1)) / float64(max(1, f.Rows-1))), Eigenvalues: show.Numbers(f.Values), Residual: show.Number(f.Gradient),
		Features: f.Features, FeatureError: show.Optional(f.FeatureError), Loadings: loadingsOf(f.Model),
		Passes: map[string]int{"data": j.left.Passes() - j.scans}, Scans: map[string]int{"data": j.scans}, ExactPasses: f.ExactPasses, KernelEntries: f.KernelEntries,
		Seconds: show.Number(c.seconds()), PeakRSSBytes: peakRSS(), Seed: c.seed, RowsDropped: j.prepared.left.Dropped(), ColumnsLeftOut: append([]string{}, j.left.leftOut...),
		Notes: c.sentences(append(j.openNotes(), f.Notes...)), Output: c.output, ClustersOutput: c.clusters, Plot: c.plot}
	for _, s := range f.History {
		if s.Accepted {
			r.Objective = append(r.Objective, show.Number(s.Objective))
		}
	}
	if len(f.Labels) > 0 {
		r.ClusterSizes = make([]int, c.task.clusters)
		for _, l := range f.Labels {
			r.ClusterSizes[l]++
		}
	}
	if mu := j.solver().Mu; mu > 0 {
		r.Mu = show.Optional(mu)
	}
	return r
}

// describe is one line about a fit for titles.
func (j *ismJob) describe() string {
	rows, d := j.shape()
	return fmt.Sprintf("ism model of %s rows, %d of %d dimensions, %s", show.Count(rows), j.cmd.dim, d, j.cmd.task.paradigm.value)
}

func (j *ismJob) report() error {
	r := j.result()
	t := &show.Text{Title: j.describe()}
	t.Add("kernel", "%s", r.Kernel)
	if r.Known != "" {
		t.Add("known", "%s", r.Known)
	}
	if len(r.Classes) > 0 {
		t.Add("classes", "%d: %s", len(r.Classes), show.Words(r.Classes))
	}
	if r.Clusters > 0 {
		t.Add("clusters", "%d, of %s rows", r.Clusters, someSizes(r.ClusterSizes))
	}
	if r.NMI != nil {
		t.Add("NMI", "%.3f between clusters and --label", float64(*r.NMI))
	}
	t.Add("engine", "%s%s", r.Engine, j.featureWords(r))
	t.Add("objective", "%s", show.Values(show.Floats(r.Objective)))
	t.Add("iterations", "%d%s%s, residual %.1e%s", r.Iterations, countedWords(r.Damped, " damped"), countedWords(r.Rounds-1, " more turns of clusters and W"), float64(r.Residual),
		map[bool]string{false: "; not settled"}[r.Settled])
	t.Add("eigenvalues", "%s", show.Values(show.Floats(r.Eigenvalues)))
	for k, column := range r.Loadings {
		t.Add(fmt.Sprintf("xw%d", k), "%s", loadingWords(column))
	}
	if r.RowsDropped > 0 {
		t.Add("dropped", "%s rows with nulls", show.Count(r.RowsDropped))
	}
	t.Add("passes", "%d over data%s; %d over all pairs of rows", r.Passes["data"], scanWords(r.Scans["data"]), r.ExactPasses)
	t.Add("work", "%s kernel entries, %s, peak memory %s", show.Count(r.KernelEntries), show.Seconds(float64(r.Seconds)), show.Bytes(r.PeakRSSBytes))
	t.Add("model", "%s", r.Output)
	for _, f := range [][2]string{{"clusters in", r.ClustersOutput}, {"picture", r.Plot}} {
		if f[1] != "" {
			t.Add(f[0], "%s", f[1])
		}
	}
	return j.cmd.print(r, t)
}

func (j *ismJob) featureWords(r *ismResult) string {
	if r.Features == 0 || r.FeatureError == nil {
		return ""
	}
	return fmt.Sprintf(", %d features, which leave %.1e of the trace of the kernel", r.Features, float64(*r.FeatureError))
}

// countedWords adds a number of something, if there is any.
func countedWords(n int, what string) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", %d%s", n, what)
}

func floats(v []show.Number) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// someWords shows the first words.
func someWords(words []string) string {
	const most = 12
	if len(words) > most {
		return strings.Join(words[:most], ", ") + ", …"
	}
	return strings.Join(words, ", ")
}

func someSizes(sizes []int) string {
	words := make([]string, len(sizes))
	for i, n := range sizes {
		words[i] = show.Count(int64(n))
	}
	return show.Words(words)
}
