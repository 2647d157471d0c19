// Package askls implements fit askls: flags, samples, report and charts for classifiers from asymmetric kernels.
package askls
