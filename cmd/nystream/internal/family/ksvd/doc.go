// Package ksvd is fit ksvd in the command: flags, report and pictures of singular vectors of asymmetric
// kernels.
package ksvd
