package logical_test

import (
	"fmt"

	"github.com/nystream/nystream/stream/logical"
)

// A nested value, here the list [3, null, 5], is one string in a kept column: a count, a validity, and the values.
func ExampleCursor() {
	list := []int64{3, 0, 5}
	value := logical.AppendCount(nil, len(list))
	value = logical.AppendValidity(value, len(list), func(i int) bool { return i != 1 })
	value = logical.AppendWord(value, logical.Int64, uint64(list[0]))
	value = logical.AppendWord(value, logical.Int64, uint64(list[2]))
	fmt.Println(logical.Check(logical.ListOf(logical.Int64), string(value)))

	c := logical.NewCursor(string(value))
	n := c.Count()
	valid := c.Validity(n)
	for i := range n {
		if valid.Has(i) {
			fmt.Println(int64(c.Word(logical.Int64)))
		} else {
			fmt.Println("null")
		}
	}
	// Output:
	// <nil>
	// 3
	// null
	// 5
}
