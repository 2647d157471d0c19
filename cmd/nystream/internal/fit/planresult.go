package fit

// PlanResult is what families may change in the report of a plan.
type PlanResult struct {
	Kernel    string
	Map       string
	Rows      int64
	Columns   int64
	Dimension int
}

// planItem is one part of the memory.
type planItem struct {
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
	Knob  string `json:"knob,omitempty"`
}
