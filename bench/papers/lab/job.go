package lab

import "context"

// Job parses the flags of a paper and returns the run that they ask for.
func Job[O any](args []string, parse func([]string) (O, error), run func(context.Context, O) error) (func(context.Context) error, error) {
	o, err := parse(args)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return run(ctx, o) }, nil
}
