package input

import "github.com/nystream/nystream/stream/prepare"

// RowsData is the part of a model archive's Data, in JSON, that describes the rows of the model. The command adds more
// keys.
type RowsData struct {
	Input           string      `json:"input,omitempty"`
	Columns         []string    `json:"columns,omitempty"`       // the names of the numeric columns
	RightColumns    []string    `json:"right_columns,omitempty"` // of the right rows of pairs
	Nulls           string      `json:"nulls"`
	Categories      *Categories `json:"categories,omitempty"`
	RightCategories *Categories `json:"right_categories,omitempty"` // of the right rows of pairs
	Graph           *struct{}   `json:"graph,omitempty"`
}

// Categories describes the categorical columns of a preparation.
type Categories struct {
	Encoding string             `json:"encoding"`
	Columns  []prepare.Category `json:"columns"`
}

// CategoriesOf returns the categorical columns of a preparation, nil for none.
func CategoriesOf(p prepare.Preparation) *Categories {
	if len(p.Categories) == 0 {
		return nil
	}
	return &Categories{p.Encoding.String(), p.Categories}
}
