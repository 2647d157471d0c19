// Package ridge is fit ridge in the command: flags, report and pictures of kernel ridge regression and
// classification.
package ridge
