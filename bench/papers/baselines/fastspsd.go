package baselines

import "github.com/nystream/nystream/solvers/lowrank"

// FastSPSD returns the fast model of Wang, Luo & Zhang (2016) with uniform samples:
//
//	Â = C·U·Cᵀ        U = (SᵀC)⁺·(SᵀKS)·(CᵀS)⁺, the least-squares fit of SᵀKS
//
// C = K(·, J) has c columns, drawn uniformly without replacement, and S picks 5c rows,
// drawn uniformly without replacement, and the landmarks J, all with weight 1. That is
// the landmark method with one landmark per direction, nothing truncated and no shift.
func FastSPSD(c int, seed uint64) lowrank.Landmark {
	return lowrank.Landmark{Rank: c, Choice: lowrank.ChoiceUniform, NNZ: 1, Sketch: 5 * c, Seed: seed, Shift: lowrank.ShiftNone}
}
