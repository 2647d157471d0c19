package fit

// PlanResult is the part of a plan's report that families may change.
type PlanResult struct {
	Kernel    string
	Map       string
	Rows      int64
	Columns   int64
	Dimension int
}

// planItem is one item of the memory.
type planItem struct {
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
	Knob  string `json:"knob,omitempty"`
}
