// Package lowrank is the methods of low-rank models in the command: flags, report and pictures.
package lowrank
