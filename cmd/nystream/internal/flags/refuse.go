package flags

import (
	"fmt"
	"strings"
)

// Refusals collects what a command line must not ask for. The first contradiction counts.
type Refusals struct {
	set *Set
	err error
}

// Refuse returns refusals about the flags of a set, none yet.
func (s *Set) Refuse() *Refusals { return &Refusals{set: s} }

// Err returns the first contradiction as a UsageError, or nil.
func (r *Refusals) Err() error { return r.err }

// When refuses a command line for a reason.
func (r *Refusals) When(wrong bool, why string) {
	if wrong && r.err == nil {
		r.err = Usagef("%s", why)
	}
}

// If refuses the first of some flags, with spaces between them, that was given where it means nothing.
func (r *Refusals) If(wrong bool, flags, why string) {
	if flag := r.set.First(strings.Fields(flags)...); flag != "" {
		r.When(wrong, "--"+flag+" "+why)
	}
}

// Missing refuses the lack of a flag, and says what it is for.
func (r *Refusals) Missing(needed bool, flag, what string) {
	r.When(needed && !r.set.Given(flag), "--"+flag+" is missing"+what)
}

// Below refuses a number of a flag that is too small.
func (r *Refusals) Below(flag string, value, least int) {
	r.When(r.set.Given(flag) && value < least, fmt.Sprintf("--%s must be at least %d", flag, least))
}

// Outside refuses a number of a flag that is not above 0 and below another one.
func (r *Refusals) Outside(flag string, value, below float64, such string) {
	r.When(r.set.Given(flag) && !(value > 0 && value < below), fmt.Sprintf("--%s must be above 0 and below %g, such as %s", flag, below, such))
}
