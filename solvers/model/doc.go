// Package model is the contract of all families of solvers: what a fit is asked,
// what it costs, what it reports, and what a model offers afterwards. A family is
// a package with
//
//	type Data                       what a fit reads; it implements [Data]
//	type Method interface {
//		Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error)
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
// The arguments stand in this order everywhere. A kernel may have parameters that
// are words, such as median: Fit makes them numbers with [Resolve].
//
// A Fit returns soon after its context has ended, whatever it is at: it is a call of [Leave].
//
// Texts for users, that is notes, errors and knobs, name a setting by its word in
// backquotes: `rank`, `scale standard`. A program that has a flag or a field for the
// setting puts its own name there; the words are those of the command's flags.
package model
