package verb

import (
	"github.com/spf13/cobra"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// NewManual returns the command that writes manual pages.
func NewManual() *cobra.Command {
	return &cobra.Command{
		Use:     "manual FOLDER",
		GroupID: flags.MoreGroup,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.WriteManual(cmd.Root(), args[0], app.Version)
		},
	}
}
