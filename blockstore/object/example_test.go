package object_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nystream/nystream/blockstore/object"
)

// A request of a store is repeated after a temporary error, and after no other.
func ExamplePatience_Retry() {
	attempts, patience := 0, object.Patience{Pause: time.Millisecond}
	err := patience.Retry(context.Background(), func(context.Context, func()) error {
		if attempts++; attempts < 3 {
			return object.Temporary(errors.New("503"))
		}
		return errors.New("404")
	})
	fmt.Println(attempts, err)
	// Output: 3 404
}
