// Package fit runs a fit from files to a model: plan, budget, states, report and charts. A family provides a Task.
package fit
