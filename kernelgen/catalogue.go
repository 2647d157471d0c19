package kernelgen

// Builtin describes a built-in kernel for help texts and completion.
type Builtin struct {
	Name    string // as written in text
	Usage   string // with parameters and defaults: "rbf(gamma=auto | sigma2 | sigma)"
	Formula string // of rows x and y, r = ‖x−y‖
	// PositiveSemiDefinite holds for the default parameters.
	PositiveSemiDefinite bool
	Smooth               bool // has a derivative by its base: see [Kernel.Terms]
}

// Builtins lists the built-in kernels in the order of the package comment.
func Builtins() []Builtin {
	list := make([]Builtin, len(builtins))
	for i, s := range builtins {
		list[i] = Builtin{Name: s.name, Usage: s.usage(), Formula: s.formula, PositiveSemiDefinite: s.psd(s.presets(), 0), Smooth: s.smooth != nil}
	}
	return list
}

// findSpec returns the entry with the given name, nil if there is none.
func findSpec(table []*spec, name string) *spec {
	for _, s := range table {
		if s.name == name {
			return s
		}
	}
	return nil
}

func names(table []*spec) []string {
	list := make([]string, len(table))
	for i, s := range table {
		list[i] = s.name
	}
	return list
}
