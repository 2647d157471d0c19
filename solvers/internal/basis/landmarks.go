package basis

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/internal/words"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Rule selects how ℓ landmarks are chosen for c features. Rules that need the kernel choose from a reservoir of m =
// max(1024, 20c, 5ℓ) rows drawn uniformly; [RuleAuto] may take fewer. [Landmarks.Scouted] adds rows that these miss.
type Rule uint8

const (
	// RuleDefault stands for the default of the method.
	RuleDefault Rule = iota
	// RuleUniform draws rows uniformly without replacement.
	RuleUniform
	// RulePivoted takes the pivots of a randomly pivoted Cholesky factorisation of the reservoir. Cost: m·ℓ kernel
	// entries, m·ℓ² flops, memory for m·ℓ numbers.
	RulePivoted
	// RuleDeterminantal repeatedly draws k = min(c, ⌈ℓ/4⌉) rows from the determinantal point process of the k leading
	// eigenvectors of the reservoir, without replacement. Such rows together span those directions well. Cost: m²/2
	// kernel entries, 4·m²·k + 3·m·k·ℓ flops, memory for 8·m·k numbers.
	RuleDeterminantal
	// RuleAuto is RuleDeterminantal, from between half and all of max(1024, 5ℓ) rows, if that evaluates at most a
	// quarter of the kernel entries of the fit. Else it is RulePivoted from as many rows, or RuleUniform if that is too
	// expensive as well. On the data of the README, determinantal landmarks have the smallest errors. Those of pivoted
	// ones are up to a fifth larger, and of uniform ones up to twice as large.
	RuleAuto
)

var ruleWords = []string{"default", "uniform", "rpc", "dpp", "auto"}

// String returns the word for a rule.
func (r Rule) String() string { return words.Of(ruleWords, r) }

// Or returns r, or other if r is [RuleDefault].
func (r Rule) Or(other Rule) Rule {
	if r == RuleDefault {
		return other
	}
	return r
}

// The size of the reservoir.
const (
	candidatesAtLeast     = 1024
	candidatesPerFeature  = 20
	candidatesPerLandmark = 5
)

// Landmarks is a choice of landmarks. Call [Landmarks.Resolve] first.
type Landmarks struct {
	Rows     int64 // of the source
	Rule     Rule
	Features int   // c
	Count    int   // ℓ, at most Rows
	Core     int64 // number of core points
	Seed     uint64
	Definite bool // the kernel is positive semi-definite
	Scout    bool // see [Landmarks.Scouted]

	pool int64 // number of candidates, 0 for the whole reservoir
}

// RuleAuto may evaluate a quarter of the kernel entries of the fit. Determinantal landmarks from all rows may take
// affordableOfAll of them. The draws take the time of drawEntries entries.
const (
	affordable      = 0.25
	affordableOfAll = 0.7
	drawEntries     = 3e5
)

// fewPools bounds the number of rows, in pools, up to which all rows are candidates. A sample of so few rows would miss
// rare ones, and pivots are affordable.
const fewPools = 2

// Resolve replaces [RuleAuto] by the rule it selects. Pivots require a positive semi-definite kernel: for others, a
// single pivot may leave no residual.
func (l Landmarks) Resolve() Landmarks {
	if l.Rule != RuleAuto {
		return l
	}
	fit := float64(l.Rows)*float64(l.Count) + float64(l.Core)*float64(l.Core)/2 // kernel entries of the fit
	all := max(candidatesAtLeast, candidatesPerLandmark*int64(l.Count))
	if l.Rows <= fewPools*all && l.Rows > int64(l.Count) {
		l.pool, l.Rule = l.Rows, RuleDeterminantal
		if l.entries() <= affordableOfAll*fit {
			return l
		}
		if l.Definite {
			l.Rule = RulePivoted
			return l
		}
	}
	for _, rule := range []Rule{RuleDeterminantal, RulePivoted} {
		l.Rule = rule
		for eighths := int64(8); eighths >= 4 && (l.Definite || rule == RuleDeterminantal); eighths-- {
			if l.pool = min(l.Rows, all) * eighths / 8; l.pool > int64(l.Count) && l.entries() <= affordable*fit {
				return l
			}
		}
	}
	l.Rule, l.pool = RuleUniform, 0
	return l
}

// entries returns the kernel entries of a determinantal or pivoted choice.
func (l Landmarks) entries() float64 {
	m := float64(l.Reservoir())
	if l.Rule == RulePivoted {
		return m * float64(l.Count)
	}
	return m*m/2 + drawEntries
}

// NeedsKernel reports whether the rule depends on the kernel.
func (l Landmarks) NeedsKernel() bool { return l.Rule != RuleUniform }

// Reservoir returns the number of candidates.
func (l Landmarks) Reservoir() int64 {
	want := int64(l.Count)
	switch {
	case l.pool > 0:
		want = max(want, l.pool)
	case l.NeedsKernel():
		want = max(candidatesAtLeast, candidatesPerFeature*int64(l.Features), candidatesPerLandmark*want)
	}
	return min(l.Rows, want)
}

// Candidates draws the candidates: row numbers, ascending.
func (l Landmarks) Candidates(purpose string) ([]int64, error) {
	s, err := sketch.NewSample(l.Rows, int(l.Reservoir()), l.Seed, purpose)
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

// Choose returns the landmarks among candidates of the named source. There are fewer than Count if the residuals of all
// others are rounding.
func (l Landmarks) Choose(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, candidates *Panel, name string) (*Panel, error) {
	if l.Rule == RuleUniform || l.Count >= candidates.Count() {
		return candidates, nil
	}
	var chosen []int
	var err error
	if l.Rule == RulePivoted {
		chosen, err = pivots(ctx, e, t, candidates, l.Count, name, sketch.NewRandom(l.Seed, "pivots"))
	} else {
		chosen, err = l.determinantal(ctx, e, t, candidates)
	}
	if err != nil {
		return nil, err
	}
	landmarks := candidates.Pick(chosen)
	for _, i := range chosen {
		landmarks.Order = append(landmarks.Order, candidates.Number[i])
	}
	return landmarks, nil
}

// Note describes the choice made by [RuleAuto].
func (l Landmarks) Note() string {
	if !l.NeedsKernel() {
		return "landmarks are uniform: to look at the kernel would take more than a quarter of the kernel entries of the fit"
	}
	text := fmt.Sprintf("landmarks are %s, from %d rows drawn uniformly", l.Rule, l.Reservoir())
	switch {
	case l.Scouts():
		return fmt.Sprintf("%s and up to %d unlike %d of these", text, l.found(), scoutLandmarks)
	case l.Reservoir() < l.Rows && l.Definite:
		return fmt.Sprintf("%s: without `Scout` a cluster of fewer than %d rows may have no candidate", text, l.mayMiss())
	}
	return text
}

// mayMiss returns the size of a cluster that has no candidate with a probability of about 5 %, e⁻³.
func (l Landmarks) mayMiss() int64 { return (3*l.Rows + l.Reservoir() - 1) / l.Reservoir() }

// AddTo adds the cost of the choice among rows of d columns to a plan.
func (l Landmarks) AddTo(p *model.Plan, d int64) {
	const knob = "`Rule uniform`"
	m, k := l.Reservoir()+l.found(), int64(l.vectors())
	if !l.NeedsKernel() || l.Reservoir() <= int64(l.Count) {
		return
	}
	l.addScoutTo(p, d)
	p.Add("candidates", 2*m*d, knob)
	if l.Rule == RulePivoted {
		p.Add("pivoted Cholesky", m*int64(l.Count+2), knob)
		p.AddEntries(float64(m) * float64(l.Count))
		return
	}
	p.Add("leading vectors", 4*m*int64(l.probes()), knob)
	p.AddEntries(float64(m) * float64(m+tilesize.PairRows) / 2)
	p.Add("determinantal draws", m*(3*k+2), knob)
}
