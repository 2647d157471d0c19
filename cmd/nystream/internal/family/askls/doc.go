// Package askls is fit askls in the command: flags, samples, report and pictures of classifiers from
// asymmetric kernels.
package askls
