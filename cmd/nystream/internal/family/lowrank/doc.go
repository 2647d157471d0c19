// Package lowrank implements the methods for low-rank models: flags, report and charts.
package lowrank
