package lowrank

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/words"
	"github.com/nystream/nystream/stream"
)

// Rule says how ℓ landmarks are chosen for c columns of U. Rules that look
// at the kernel do so on a reservoir of m = max(1024, 20c, 5ℓ) rows drawn uniformly, so
// that the pass over the source stays the only one; [RuleAuto] may take fewer.
type Rule uint8

const (
	// RuleDefault is [RuleAuto] for [Landmark] and [Adaptive], and [RuleUniform] for
	// [Nystrom].
	RuleDefault Rule = iota
	// RuleUniform draws rows uniformly without replacement.
	RuleUniform
	// RulePivoted takes the pivots of a randomly pivoted Cholesky factorisation
	// of the reservoir. It takes m·ℓ kernel entries and numbers, m·ℓ² flops.
	RulePivoted
	// RuleDeterminantal draws rows again and again from the determinantal point process
	// of the k = min(c, ⌈ℓ/4⌉) leading eigenvectors of the reservoir, without replacement:
	// k rows that between them see those directions best. It takes m²/2 kernel entries,
	// 4·m²·k + 3·m·k·ℓ flops, 8·m·k numbers.
	RuleDeterminantal
	// RuleAuto is determinantal if that evaluates a quarter of the kernel entries of the fit
	// or less, from max(1024, 5ℓ) rows, or fewer, at least half as many; else pivoted from as
	// many; else uniform. Errors of determinantal landmarks are the least on the data of the README,
	// those of pivoted ones up to a fifth more, those of uniform ones up to twice as large.
	RuleAuto
)

var ruleWords = []string{"default", "uniform", "rpc", "dpp", "auto"}

// String returns the word for a rule.
func (r Rule) String() string { return words.Of(ruleWords, r) }

// or returns the rule of a method that has a default.
func (r Rule) or(other Rule) Rule {
	if r == RuleDefault {
		return other
	}
	return r
}

// The size of the reservoir.
const (
	candidatesAtLeast     = 1024
	candidatesPerColumn   = 20
	candidatesPerLandmark = 5
)

// chooser chooses landmarks.
type chooser struct {
	rows      int64 // of the source
	rule      Rule
	columns   int   // of U
	landmarks int   // at most as many as rows
	core      int64 // points that the core is fitted on
	seed      uint64
	definite  bool  // the kernel is positive semi-definite
	pool      int64 // candidates, 0 for the whole reservoir
}

// looks reports whether the rule depends on the kernel.
func (c chooser) looks() bool { return c.rule != RuleUniform }

// reservoir returns the number of rows that landmarks are chosen from.
func (c chooser) reservoir() int64 {
	want := int64(c.landmarks)
	switch {
	case c.pool > 0:
		want = max(want, c.pool)
	case c.looks():
		want = max(candidatesAtLeast, candidatesPerColumn*int64(c.columns), candidatesPerLandmark*want)
	}
	return min(c.rows, want)
}

// vectors returns how many leading eigenvectors determinantal landmarks are chosen by.
func (c chooser) vectors() int { return max(1, min(c.columns, (c.landmarks+3)/4)) }

// candidates draws the rows that landmarks are chosen from.
func (c chooser) candidates(purpose string) ([]int64, error) {
	s, err := sketch.NewSample(c.rows, int(c.reservoir()), c.seed, purpose)
	if err != nil {
		return nil, err
	}
	return s.Positions(), nil
}

// choose takes the landmarks from the candidates; name is that of their source.
// There are fewer than asked for if nothing is left to take.
func (c chooser) choose(ctx context.Context, t *tiles, e stream.Engine, candidates *panel, name string) (*panel, error) {
	most := min(c.landmarks, candidates.rows.Rows)
	if most == candidates.rows.Rows {
		return candidates, nil
	}
	var chosen []int
	var err error
	switch c.rule {
	case RuleUniform:
		return candidates, nil
	case RulePivoted:
		chosen, err = t.pivotRows(ctx, e, candidates, most, c.seed, name, "pivots")
	case RuleDeterminantal:
		chosen, err = c.determinantal(ctx, t, e, candidates, most)
	default:
		panic(fmt.Sprintf("lowrank: the rule %s was left open", c.rule))
	}
	if err != nil {
		return nil, err
	}
	return t.pickIndices(candidates, chosen), nil
}

// note tells what [RuleAuto] came to.
func (c chooser) note() string {
	if !c.looks() {
		return "landmarks are uniform: to look at the kernel would take more than a quarter of the kernel entries of the fit"
	}
	return fmt.Sprintf("landmarks are %s, from %d rows drawn uniformly", c.rule, c.reservoir())
}

// pickIndices returns the panel of some rows of p.
func (t *tiles) pickIndices(p *panel, chosen []int) *panel {
	var numbers []int64
	for _, i := range chosen {
		numbers = append(numbers, p.number[i])
	}
	return t.pick(p, union(numbers))
}
