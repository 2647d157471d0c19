// Package baselines holds methods for comparison alone: those of solvers/lowrank err less.
package baselines
