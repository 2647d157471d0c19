// Package operator is fit operator in the command: flags, sets, report and pictures of operators between
// RKHSs.
package operator
