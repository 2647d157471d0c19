package main

import (
	"fmt"
	"slices"
)

// contradiction is something that a command line must not ask for, and what to say
// then.
type contradiction struct {
	wrong bool
	say   string
}

// noData is what to say where no file is named.
const noData = "no data: name files, quoted globs, folders, or - for the standard input"

// refuse returns a usage error about the first contradiction, if there is one.
func refuse(asked []contradiction) error {
	for _, ask := range asked {
		if ask.wrong {
			return usagef("%s", ask.say)
		}
	}
	return nil
}

// first returns the first of some flags that was given, or "".
func (j *job) first(flags ...string) string {
	for _, flag := range flags {
		if j.given(flag) {
			return flag
		}
	}
	return ""
}

// without refuses flags where they mean nothing, and says what of them.
func (j *job) without(here bool, say string, flags ...string) contradiction {
	flag := j.first(flags...)
	return contradiction{here && flag != "", "--" + flag + " " + say}
}

// needs refuses the lack of a flag, and says what it is for.
func (j *job) needs(here bool, flag, what string) contradiction {
	return contradiction{here && !j.given(flag), "--" + flag + " is missing" + what}
}

// least refuses a number of a flag that is too small.
func (j *job) least(flag string, value, least int) contradiction {
	return contradiction{j.given(flag) && value < least, fmt.Sprintf("--%s must be at least %d", flag, least)}
}

// within refuses a number of a flag that is not above 0 and below another one.
func (j *job) within(flag string, value, below float64, such string) contradiction {
	return contradiction{j.given(flag) && !(value > 0 && value < below), fmt.Sprintf("--%s must be above 0 and below %g, such as %s", flag, below, such)}
}

// oneStandardInput refuses the standard input on both sides.
func oneStandardInput(left, right []string) contradiction {
	return contradiction{slices.Contains(left, "-") && slices.Contains(right, "-"), "the standard input can serve only one side: name files for DATA or for --right"}
}
