package flags

import (
	"fmt"
	"strings"
)

// Refusals collects contradictions of a command line. Only the first is reported.
type Refusals struct {
	set *Set
	err error
}

// Refuse returns an empty collection for the flags of a set.
func (s *Set) Refuse() *Refusals { return &Refusals{set: s} }

// Err returns the first contradiction as a UsageError, or nil.
func (r *Refusals) Err() error { return r.err }

// When refuses a command line if wrong, with a reason.
func (r *Refusals) When(wrong bool, why string) {
	if wrong && r.err == nil {
		r.err = Usagef("%s", why)
	}
}

// If refuses, if wrong, the first of some flags that was set. flags are separated by spaces.
func (r *Refusals) If(wrong bool, flags, why string) {
	if flag := r.set.First(strings.Fields(flags)...); flag != "" {
		r.When(wrong, "--"+flag+" "+why)
	}
}

// Missing refuses a command line without a required flag. what is its purpose.
func (r *Refusals) Missing(needed bool, flag, what string) {
	r.When(needed && !r.set.Given(flag), "--"+flag+" is missing"+what)
}

// Below refuses a value of a flag below least.
func (r *Refusals) Below(flag string, value, least int) {
	r.When(r.set.Given(flag) && value < least, fmt.Sprintf("--%s must be at least %d", flag, least))
}

// Outside refuses a value of a flag that is not above 0 and below another number.
func (r *Refusals) Outside(flag string, value, below float64, such string) {
	r.When(r.set.Given(flag) && !(value > 0 && value < below), fmt.Sprintf("--%s must be above 0 and below %g, such as %s", flag, below, such))
}
