package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/ksvd"
)

// ksvdResult is what fit ksvd prints as JSON.
type ksvdResult struct {
	Method         string         `json:"method"`
	Solver         string         `json:"solver"`
	Chosen         string         `json:"chosen,omitempty"` // why, when the method was not named
	Kernel         string         `json:"kernel"`
	Input          string         `json:"input"` // matrix, sources or graph
	Rows           int64          `json:"rows"`
	Columns        int64          `json:"columns"`
	Dimension      int            `json:"dimension"` // length of the rows that the kernel compares
	Rank           int            `json:"rank"`
	Values         []show.Number  `json:"values"`
	Sums           string         `json:"sums"`
	Centred        bool           `json:"centred"`
	Compatibility  string         `json:"compatibility"`
	Scaling        string         `json:"scaling,omitempty"`
	Samples        []int          `json:"samples,omitempty"` // of rows, of columns
	Accuracy       *show.Number   `json:"accuracy,omitempty"`
	Tolerance      show.Number    `json:"tolerance,omitempty"`
	Residuals      *show.Number   `json:"residuals,omitempty"` // the largest, over the largest value
	Operator       string         `json:"operator,omitempty"`  // of exact: tiles or paths
	Graph          *graphResult   `json:"graph,omitempty"`
	Passes         map[string]int `json:"passes"` // of the method and for factors, after samples were gathered
	Scans          map[string]int `json:"scans"`  // before: to open text or a graph, for nulls and scaling
	ExactPasses    int            `json:"exact_passes"`
	KernelEntries  int64          `json:"kernel_entries"`
	Seconds        show.Number    `json:"seconds"`
	PeakRSSBytes   int64          `json:"peak_rss_bytes"`
	Seed           uint64         `json:"seed"`
	RowsDropped    int64          `json:"rows_dropped"`
	ColumnsLeftOut []string       `json:"columns_left_out"`
	Notes          []string       `json:"notes"`
	Output         string         `json:"output"`
	LeftFactors    string         `json:"left_factors,omitempty"`
	RightFactors   string         `json:"right_factors,omitempty"`
}

// graphResult is what is said of a graph.
type graphResult struct {
	Nodes      int         `json:"nodes"`
	Edges      int64       `json:"edges"`   // that the file lists
	Entries    int64       `json:"entries"` // of the adjacency matrix
	Duplicates int64       `json:"duplicates"`
	SelfLoops  int64       `json:"self_loops"`
	Weighted   bool        `json:"weighted"`
	Options    graphRecipe `json:"options"`
}

func (j *ksvdJob) graphResult() *graphResult {
	g := j.graph
	if g == nil {
		return nil
	}
	return &graphResult{Nodes: g.Adjacency.Rows, Edges: g.Edges, Entries: g.Adjacency.NNZ(), Duplicates: g.Duplicates, SelfLoops: g.SelfLoops,
		Weighted: g.Weighted, Options: j.cmd.graph.recipe()}
}

// result collects what is known about a finished fit.
func (j *ksvdJob) result() *ksvdResult {
	f, c := j.fit, j.cmd
	r := &ksvdResult{Method: ksvdName, Solver: f.Method, Chosen: c.words(f.Chosen), Kernel: j.kernel.String(), Input: j.kind(), Rows: f.Rows, Columns: f.Cols,
		Dimension: j.shape().Columns, Rank: f.Rank(), Values: show.Numbers(f.Values), Sums: f.Sums.String(), Centred: f.Centred,
		Compatibility: f.Compatibility.String(), Accuracy: show.Optional(f.Accuracy), Tolerance: show.Number(c.tolerance), Graph: j.graphResult(),
		Passes: j.passes(), Scans: j.scans, ExactPasses: f.ExactPasses, KernelEntries: f.KernelEntries, Seconds: show.Number(c.seconds()),
		PeakRSSBytes: peakRSS(), Seed: c.seed, RowsDropped: j.prepared.dropped(), ColumnsLeftOut: []string{}, Notes: c.sentences(append(j.openNotes(), f.Notes...)),
		Output: c.output, LeftFactors: c.left, RightFactors: c.other}
	if j.left != nil {
		r.ColumnsLeftOut = append(r.ColumnsLeftOut, j.left.leftOut...)
	}
	if f.Samples[0] > 0 {
		r.Samples = f.Samples[:]
	}
	if f.Method == "nystrom" {
		r.Scaling = c.scaling.value
	}
	if len(f.Residuals) > 0 {
		worst := show.Number(slices.Max(f.Residuals))
		r.Residuals = &worst
	}
	r.Operator = operatorWord(f.Operator)
	return r
}

// operatorWord is "" for methods that have none.
func operatorWord(o ksvd.Operator) string {
	if o == ksvd.OperatorAuto {
		return ""
	}
	return o.String()
}

// operatorPhrase is how a text names it after the method.
func operatorPhrase(word string) string {
	if word == "" {
		return ""
	}
	return " by " + word
}

// names are the sources in the words of the report.
func (j *ksvdJob) names() []string {
	switch j.kind() {
	case graphInput:
		return []string{"graph"}
	case sourcesInput:
		return []string{"left", "right"}
	}
	return []string{"data"}
}

// allPasses counts the passes over each source so far. A graph is read once; its
// rows are in memory then.
func (j *ksvdJob) allPasses() map[string]int {
	if j.graph != nil {
		return map[string]int{graphInput: 1}
	}
	return j.sides.passes(j.names())
}

// passes counts the passes of the method over each source: the one that loads a
// matrix, and for a graph those over its rows in memory.
func (j *ksvdJob) passes() map[string]int {
	n := j.allPasses()
	for name := range n {
		n[name] -= j.scans[name]
		if j.graph != nil {
			n[name] = j.fit.SourcePasses + j.factors
		}
	}
	return n
}

// describe is one line about a fit for titles.
func (j *ksvdJob) describe() string {
	s := j.shape()
	title := fmt.Sprintf("ksvd model of the %s × %s matrix %s", show.Count(s.Rows), show.Count(s.Cols), j.kernel)
	switch j.kind() {
	case graphInput:
		return title + " between edges out of and into nodes"
	case sourcesInput:
		return title + " between rows of two sources"
	}
	return title + " between rows and columns"
}

func (j *ksvdJob) report() error {
	r := j.result()
	t := &show.Text{Title: j.describe()}
	if r.Chosen != "" {
		t.Add("chosen", "%s", r.Chosen)
	}
	t.Add("method", "%s%s%s", r.Solver, operatorPhrase(r.Operator), map[bool]string{true: ", centred"}[r.Centred])
	if g := r.Graph; g != nil {
		t.Add("graph", "%s nodes, %s edges listed, %s of them from a node to itself, %s listed again", show.Count(int64(g.Nodes)), show.Count(g.Edges), show.Count(g.SelfLoops), show.Count(g.Duplicates))
	}
	t.Add("rank", "%d", r.Rank)
	t.Add("values", "%s", show.Values(j.fit.Values))
	if len(r.Samples) > 0 {
		t.Add("samples", "%s rows, %s columns", show.Count(int64(r.Samples[0])), show.Count(int64(r.Samples[1])))
	}
	if _, normalised := j.kernel.Normaliser(); normalised || r.Centred {
		t.Add("sums", "%s", r.Sums)
	}
	if r.Input == matrixInput {
		t.Add("compatibility", "%s", r.Compatibility)
	}
	if r.Accuracy != nil {
		t.Add("accuracy", "η about %.2g: how far singular vectors are from those of other samples", float64(*r.Accuracy))
	}
	if r.Residuals != nil {
		t.Add("residuals", "below %.1e of the largest value", float64(*r.Residuals))
	}
	if r.RowsDropped > 0 {
		t.Add("dropped", "%s rows with nulls", show.Count(r.RowsDropped))
	}
	t.Add("passes", "%s", j.passWords(r))
	t.Add("work", "%s kernel entries, %s, peak memory %s", show.Count(r.KernelEntries), show.Seconds(float64(r.Seconds)), show.Bytes(r.PeakRSSBytes))
	t.Add("model", "%s", r.Output)
	for _, f := range [][2]string{{"U", r.LeftFactors}, {"V", r.RightFactors}} {
		if f[1] != "" {
			t.Add(f[0], "%s", f[1])
		}
	}
	return j.cmd.print(r, t)
}

func (j *ksvdJob) passWords(r *ksvdResult) string {
	var words []string
	for _, name := range j.names() {
		words = append(words, fmt.Sprintf("%d over %s", r.Passes[name], name)+scanWords(r.Scans[name]))
	}
	return strings.Join(words, ", ") + fmt.Sprintf("; %d over all entries of G", r.ExactPasses)
}
