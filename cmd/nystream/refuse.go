package main

import (
	"slices"
	"strconv"
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

// needs is refused unless a flag was given; such is an example of its value.
func (j *job) needs(flag, what, such string) contradiction {
	return contradiction{!j.given(flag), "--" + flag + " is missing: " + what + ", such as --" + flag + " " + such}
}

// atLeast is refused if the value of a flag is below what it may be.
func atLeast(flag string, value, least int) contradiction {
	return contradiction{value < least, "--" + flag + " must be at least " + strconv.Itoa(least)}
}

// onlyFor is refused if one of the flags was given where it is not for.
func (j *job) onlyFor(here bool, say string, flags ...string) contradiction {
	for _, flag := range flags {
		if !here && j.given(flag) {
			return contradiction{true, "--" + flag + " " + say}
		}
	}
	return contradiction{}
}

// oneStandardInput is refused if both sides are the standard input.
func oneStandardInput(left, right []string) contradiction {
	return contradiction{slices.Contains(left, "-") && slices.Contains(right, "-"), "the standard input can serve only one side: name files for DATA or for --right"}
}
