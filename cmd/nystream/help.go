package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/kernelgen"
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

// newStorageTopic returns help about URLs.
func newStorageTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "storage",
		Short: "URLs of data and models: s3://, https://, file://",
		Long: `Wherever a file is named, for data, models and outputs, a URL may be:

    s3://BUCKET/KEY       an object in S3, or in what has its interface; globs and
                          folders too: 's3://bucket/year=2024/*.parquet', s3://bucket/
    https://, http://     read only, from servers that give ranges; name each file
    file:///PATH          a file

S3 is told by the environment and by ~/.aws: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_SESSION_TOKEN or AWS_PROFILE, AWS_REGION, and AWS_ENDPOINT_URL_S3 for others than
Amazon, such as https://storage.googleapis.com with an HMAC key. gs:// and az:// are
not reached by name: name an Azure blob by its https:// address with a SAS token.
Queries of addresses are credentials: they are never printed or kept.

Objects are read in pieces of up to 4 MiB, ahead of the computation; a pass holds about
64 MiB for each reader, which counts in --memory. Requests that fail are repeated,
until none makes progress for the time of --stall. An object that changes while it is
read is an error that names it. At most ten redirects are followed, none from https to
http or into a private network.

An output is collected in the folder for temporary files (TMPDIR) and appears whole or
not at all. A run that is killed during an upload leaves parts in the bucket. The next
run that writes the same object removes them; a lifecycle rule of the bucket with
AbortIncompleteMultipartUpload after one day removes all others. States (--checkpoint,
--states) stay in folders.`,
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
