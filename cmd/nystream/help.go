package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/python"
)

// newHelpCommand returns help as cobra has it, but for unknown topics, which end as
// wrong usage with the topics that there are.
func newHelpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Help about a command or a topic",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return topics(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("there is no help about %q; there is about %s%s", strings.Join(args, " "),
					strings.Join(topics(root), ", "), didYouMean(args[len(args)-1], topics(root)))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// topics returns the arguments that help takes.
func topics(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// newKernelsTopic returns help about what --kernel takes.
func newKernelsTopic() *cobra.Command {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 8, 3, ' ', 0)
	for _, k := range kernelgen.Builtins() {
		psd := ""
		if k.PositiveSemiDefinite {
			psd = "psd"
		}
		fmt.Fprintf(w, "    %s\t%s\t%s\n", k.Usage, k.Formula, psd)
	}
	w.Flush()
	return &cobra.Command{
		Use:   "kernels",
		Short: "The kernels that --kernel takes",
		Long: `The kernels that --kernel takes, with r = ‖x−y‖; psd: without negative eigenvalues
for the parameters that are preset.

` + table.String() + `
Kernels are multiplied and added, with weights: '0.5*linear() + rbf*laplace(gamma=1)'.
Parameters may be words, which are replaced by numbers from at most 1000 rows:

    gamma=auto      1/number of columns
    gamma=scale     1/(number of columns · variance of all entries)
    gamma=median    1/median of the pairwise r², or of the distance the kernel takes:
                    r for exponential, Σ|x_k−y_k| for laplace
    gamma=median (sne)                           the median of r
    scale=1/sqrt(d) (softmax)                    1/√(number of columns)
    length=median, sigma=median, sigma2=median   the median of r, r, r²
    sigma=median (gaussian)                      the median of r where it is not 0
    theta=auto, v=auto (csrbf)                   3·√sigma2, ⌈(number of columns+1)/2⌉
    gamma=0.5*median                             a multiple of any of these

sne, t and softmax are divided by the sum of their row, over all rows y of the right
side: they are for fit ksvd. relative is for fit ism, which looks for the neighbours of
the rows. polynomial(degree=3, c=1) is another name of poly with gamma=1 and coef0=c.`,
	}
}

// newMapsTopic returns help about what --map takes.
func newMapsTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "maps",
		Short: "The functions of entries that --map takes",
		Long: `The functions that --map applies to each entry a of --matrix:

    ` + strings.Join(kernelgen.MapNames(), ", ") + `

relu is max(0, a) and sigmoid the logistic function 1/(1+exp(−a)). With a scale
they are applied to scale·a: 'exp(scale=-10)' is exp(−10·a). Entries must stay
finite: sqrt is not defined below 0 and log1p not below −1.`,
	}
}

// newPythonTopic returns help that is the reader in Python and nothing else, so that its
// output is the file.
func newPythonTopic() *cobra.Command {
	const short = "A reader of models in Python: nystream help python > nystream.py"
	cmd := &cobra.Command{Use: "python", Short: short, Long: short}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { cmd.Print(python.Reader) })
	return cmd
}
