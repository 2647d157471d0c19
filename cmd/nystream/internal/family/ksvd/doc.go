// Package ksvd implements fit ksvd: flags, report and charts for singular vectors of asymmetric kernels.
package ksvd
