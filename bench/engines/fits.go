package main

import "slices"

// fit is a fit that is made in parts.
type fit struct {
	name    string
	args    []string // of nystream fit, without those of the results
	factors bool
	vary    bool // the data decide how many rounds it takes
}

// fits are of all kinds that can be shared out; all but nystrom take two rounds and more.
var fits = []fit{
	{name: "s3spsd, scaled, with factors", args: []string{"s3spsd", "x.npy", "--kernel=rbf(gamma=0.5)", "--rank=6", "--scale=standard"}, factors: true},
	{name: "landmark, scaled", args: []string{"landmark", "x.npy", "--kernel=rbf(gamma=median)", "--rank=6", "--scale=standard"}},
	{name: "ssrsvd, two sources", args: []string{"ssrsvd", "x.npy", "--right=y.npy", "--kernel=rbf(gamma=0.5)", "--rank=5"}},
	{name: "ksvd, two sources", args: []string{"ksvd", "x.npy", "--right=y.npy", "--method=ssrsvd", "--kernel=rbf(gamma=0.5)", "--rank=4"}},
	{name: "nystrom", args: []string{"nystrom", "x.npy", "--kernel=laplace(gamma=0.2)", "--rank=6"}},
	{name: "rff, scaled", args: []string{"rff", "x.npy", "--kernel=rbf(gamma=0.5)", "--rank=6", "--scale=standard"}},
	{name: "ism", args: []string{"ism", "x.npy", "--label=x4", "--dim=2", "--engine=linear", "--iterations=2"}, vary: true},
}

// results are the flags for what a fit writes.
func (f *fit) results() []string {
	if f.factors {
		return []string{"-o", "m.npz", "--factors", "u.npy"}
	}
	return []string{"-o", "m.npz"}
}

// command is the whole fit.
func (f *fit) command() []string { return slices.Concat([]string{"fit"}, f.args, f.results()) }
