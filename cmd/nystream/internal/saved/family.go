package saved

import (
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
)

// Family loads the models of a family. It has what transform, predict, verify and inspect need; fit.Family adds the
// fits.
type Family struct {
	Name    string
	Methods []string // in the headers of its models
	// Load rebuilds a model from its file. data describes its rows.
	Load func(a *model.Archive, data *Data) (model.Model, error)
	// Inspect adds the fields of this family to the JSON report of nystream inspect. It may be nil.
	Inspect func(m model.Model, r *report.Report)
	// WhyNotVerified is the reason, to follow a colon, why verify does not support the family.
	WhyNotVerified string
	// Clusters reports whether the classes of its models are clusters, whose names cannot be compared with labels.
	Clusters bool
}

// Loader returns the Load of a family that needs only the archive.
func Loader[M model.Model](load func(*model.Archive, ...kernelgen.Profile) (M, error)) func(*model.Archive, *Data) (model.Model, error) {
	return func(a *model.Archive, _ *Data) (model.Model, error) {
		m, err := load(a)
		if err != nil {
			return nil, err // not a nil pointer in an interface
		}
		return m, nil
	}
}

// familyOf returns the family of a method, or nil.
func familyOf(families []*Family, method string) *Family {
	for _, f := range families {
		if slices.Contains(f.Methods, method) {
			return f
		}
	}
	return nil
}
