// Package operator implements fit operator: flags, sets, report and charts for operators between RKHSs.
package operator
