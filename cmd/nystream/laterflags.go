package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Most of the tree of commands is flags, and a command line runs one command. So the flags of
// a command are added when something needs them.

// addFlagsLater has add called before something needs the flags of cmd.
func (a *app) addFlagsLater(cmd *cobra.Command, add func()) {
	if a.laterFlags == nil {
		a.laterFlags = make(map[*cobra.Command]func())
	}
	a.laterFlags[cmd] = add
}

// setArgs gives root its command line, and adds the flags that it needs: of all commands
// where it is not known which it asks for, as in help and completion.
func (a *app) setArgs(root *cobra.Command, args []string) {
	root.SetArgs(args)
	cmd, _, err := root.Find(args)
	if err != nil { // cobra adds help and completion when it runs
		a.addAllFlags()
		if asksCompletion(args) {
			a.registerCompletions(root)
		}
		return
	}
	if cmd == root { // it has no words, but perhaps --version
		root.Version = version + ", build " + build()
	}
	a.addFlags(cmd)
}

// wholeTree returns the commands with all flags. They belong to another app: commands share
// variables, and adding a flag sets its variable to the default.
func wholeTree() *cobra.Command {
	a := newApp(context.Background(), strings.NewReader(""), io.Discard, io.Discard)
	root := newRootCommand(a)
	a.addAllFlags()
	return root
}

// addAllFlags adds the flags that are not added yet. It must run before the command line is
// parsed.
func (a *app) addAllFlags() {
	for cmd := range a.laterFlags {
		a.addFlags(cmd)
	}
}

func (a *app) addFlags(cmd *cobra.Command) {
	if add, ok := a.laterFlags[cmd]; ok {
		delete(a.laterFlags, cmd)
		add()
	}
}
