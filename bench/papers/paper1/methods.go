package paper1

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// fitter approximates a kernel matrix. The methods of package lowrank do.
type fitter interface {
	Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*lowrank.Fit, error)
}

// method is a column of the tables: how to fit rank c with a seed.
type method struct {
	name    string
	of      func(c int, seed uint64) fitter
	heading string // the command's name for it
	rows    int    // limit of the rows; 0 means none
	only    string // the only supported kernel, by its word; "" for all
	// errors returns the errors of a baseline that is not a model of package lowrank; nil for others.
	errors func(k kernelgen.Kernel, x blas64.General, c int, seed uint64) (spectral, frobenius float64, err error)
}

// takes reports whether a method is measured on a problem with the given number of rows.
func (m method) takes(p problem, rows int) bool {
	return (m.rows == 0 || rows <= m.rows) && (m.only == "" || m.only == p.word)
}

// mostPolyTensor limits the rows for PolyTensorSketch, whose errors take products with all of A.
const mostPolyTensor = 20000

// methods returns all compared methods, in the order of the tables. Sketches have the defaults s = 5c and z = 4.
func methods() []method {
	return []method{
		{name: "RFF", heading: "`rff`", only: "rbf", of: func(c int, seed uint64) fitter {
			return lowrank.RFF{Rank: c, Seed: seed}
		}},
		{name: "PolyTensorSketch", heading: "PolyTensorSketch", only: "rbf", rows: mostPolyTensor,
			errors: func(k kernelgen.Kernel, x blas64.General, c int, seed uint64) (spectral, frobenius float64, err error) {
				f, err := polyTensorSketch{c, seed}.of(k, x)
				if err != nil {
					return 0, 0, err
				}
				return f.errors(k, x)
			}},
		{name: "Nystrom", heading: "`nystrom`", of: func(c int, seed uint64) fitter {
			return lowrank.Nystrom{Rank: c, Landmarks: c, Seed: seed}
		}},
		{name: "FastSPSD", heading: "FastSPSD", of: func(c int, seed uint64) fitter {
			return fastSPSD{c, seed}
		}},
		{name: "ssrSVD paper", heading: "`ssrsvd --leverage-rows 0`", of: func(c int, seed uint64) fitter {
			return lowrank.SSRSVD{Rank: c, LeverageRows: -1, Seed: seed}
		}},
		{name: "ssrSVD", heading: "`ssrsvd`", of: func(c int, seed uint64) fitter {
			return lowrank.SSRSVD{Rank: c, Seed: seed}
		}},
		{name: "S3SPSD paper", heading: "`s3spsd --leverage-rows 0 --shift paper`", of: func(c int, seed uint64) fitter {
			return lowrank.S3SPSD{Rank: c, LeverageRows: -1, Seed: seed, Shift: lowrank.ShiftPaper}
		}},
		{name: "S3SPSD", heading: "`s3spsd`", of: func(c int, seed uint64) fitter {
			return lowrank.S3SPSD{Rank: c, Seed: seed}
		}},
		{name: "nystrom z=4", heading: "`nystrom --landmarks 4c`", of: func(c int, seed uint64) fitter {
			return lowrank.Nystrom{Rank: c, Landmarks: 4 * c, Seed: seed}
		}},
		{name: "landmark uniform", heading: "`landmark --rule uniform`", of: func(c int, seed uint64) fitter {
			return lowrank.Landmark{Rank: c, Landmarks: 4 * c, Rule: lowrank.RuleUniform, Seed: seed}
		}},
		{name: "landmark auto", heading: "`landmark`", of: func(c int, seed uint64) fitter {
			return lowrank.Landmark{Rank: c, Landmarks: 4 * c, Rule: lowrank.RuleAuto, Seed: seed}
		}},
		{name: "landmark auto centred", heading: "`landmark --shift midpoint`", of: func(c int, seed uint64) fitter {
			return lowrank.Landmark{Rank: c, Landmarks: 4 * c, Rule: lowrank.RuleAuto, Seed: seed, Shift: lowrank.ShiftMidpoint}
		}},
		{name: "subspace", heading: "`subspace`", rows: 40000, of: func(c int, seed uint64) fitter {
			return lowrank.Subspace{Rank: c, Passes: 3, Seed: seed}
		}},
	}
}
