// Package ism is fit ism in the command: flags, labels, report and pictures of interpretable projections.
package ism
