// Package ism implements fit ism: flags, labels, report and charts for interpretable projections.
package ism
