package main

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newManualCommand returns the command that writes manual pages, which releases contain.
func newManualCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "manual FOLDER",
		Short:  "Write manual pages of all commands and topics",
		Hidden: true, // it is for those who make releases
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // which has the day, and releases are made again
			header := doc.GenManHeader{Section: "1", Source: "nystream " + version}
			if err := doc.GenManTree(root, &header, args[0]); err != nil {
				return err
			}
			for _, c := range root.Commands() {
				if !c.IsAdditionalHelpTopicCommand() {
					continue
				}
				var page bytes.Buffer
				topic := header
				if err := doc.GenMan(c, &topic, &page); err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(args[0], root.Name()+"-"+c.Name()+".1"), page.Bytes(), 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
