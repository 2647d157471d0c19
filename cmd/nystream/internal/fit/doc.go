// Package fit is the way of a fit from files to a model: plan, budget, states, report and pictures. A family
// gives it a Task.
package fit
