// Package model is the contract of all families of solvers: the data and the plan of a fit, its report, and the
// interfaces of a model. Authors of a new family should read this page first. A test in package solvers enforces the
// names, types and order of arguments.
//
// # A family
//
// A family is a package with
//
//	type Data                       what a fit reads; it implements [Data]
//	type Method interface {         [Method] with the types of the family
//		Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error)
//		Fit(ctx context.Context, e stream.Engine, d Data, k kernelgen.Kernel) (*Fit, error)
//	}
//	type Fit struct {               what every method of the family returns
//		*Model
//		model.Report
//		…                       optional parts
//	}
//	type Model                      it implements [Model], and what else it can of
//	                                [Transformer] and [Verifier]
//	func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error)
//
// Plan reads no row; the cost depends on the [Size] alone. A kernel may have parameters that are words, such as median;
// Fit turns them into numbers with family.Resolve. Every Fit is a call of family.RunFit, so it returns soon after its
// context has ended. Package input checks and samples rows.
//
// # One dialect
//
// One concept has one name, in settings, reports and flags:
//
//	Landmarks        number of rows that span the functions (ksvd.Nystrom has Rows and Cols)
//	Rule             how landmarks are chosen
//	Rank             number of values and vectors wanted
//	Center           means are subtracted
//	Seed             of all random choices
//	Memory           bytes that the plan may take, where a method chooses by it
//	ErrorTol         tolerance of the error of the matrix
//	ResidualTol      tolerance of the residual of equations
//	MarginalTol      tolerance of the marginals of a plan
//	ChangeTol        tolerance of the change of an iterate
//	Iterations       limit of the iterations; in a Fit their number
//	Passes           limit of the passes over all entries
//	History          of an objective or error, by iteration
//	Report.Choice    method or engine where it was left open, with the reason
//	Report.Estimates errors, each with its evidence, or with the reason why it is unknown
//	NotConverged     a tolerance was not reached; Warnings say by how much
//	SharedPasses     passes that machines share; NotShardable says why there are none
//	Transform        numbers of rows, seen or new: [Request] says of which side and kind
//
// States of passes are tied to all settings, by their names and values. A setting that only affects the choice of
// method has the tag `states:"ignored"`, since states record the chosen method. A setting cannot be a map or a
// function.
//
// # Plans
//
// A plan begins with [NewPlan] for the longest source. [Plan.Add] counts memory that is held during the whole fit. A
// pass adds its states with [Plan.Fold], or [Plan.FoldWide] for stream.FoldWide; a pass that writes rows adds its
// blocks with [Plan.Map]. A component that is held along with others is a plan of its own, added by [Plan.Include]. A
// stage that releases its memory is added by [Plan.Stage].
//
// # Files
//
// A family describes its saved models by a struct, the file. [NewArchive] writes it and
// [Archive.Open] reads it. Its JSON is the header. A field with a tag `array:"name,size,option"`
// is an array, and has `json:"-"`:
//
//	[]float64, []int64            a vector: one size
//	blas64.General, *sparse.CSR   a matrix: the sizes are its rows and columns
//	struct, pointer to a struct   a part: the name comes before those of its arrays
//	*Archive                      a model within: a header within the header, and a name before those of its arrays
//
// A size is a number, or a name in the JSON of the header: a number, the length of a list or word,
// 1 for true or a pointer, else 0. A file or a part with a method Sizes(*Archive) map[string]int64 adds names. The first array that has any other name
// sets its value.
//
//	descending   no number is larger than the one before
//	below=SIZE   numbers of rows, ascending, from 0 to below the size
//	if=SIZE      the array is in the file if the size is known and not 0; if=!SIZE is the opposite
//	optional     an empty array is not written, and one that is missing is read as empty
//	NAME=SIZE    a part has sizes of its own: those of the whole, and this one
//
// Entries of arrays must be finite. Numbers in the header must be at least 0, or the minimum of a tag such as
// `min:"1"`. A pointer with `min:"1"` must not be null.
//
// # Texts
//
// Notes, errors and knobs name a setting in backquotes, by its field: `Rank` of the method, `Treatment.Scale standard` of
// any other type. Programs may replace it by the name of their own flag.
package model
