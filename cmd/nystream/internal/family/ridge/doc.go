// Package ridge implements fit ridge: flags, report and charts for kernel ridge regression and classification.
package ridge
