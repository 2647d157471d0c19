// Command nystream-beam runs nystream's fits and transforms on Apache Beam:
//
//	nystream-beam fit s3spsd big.parquet --kernel rbf --rank 50 -o model.npz --shards 8
//	nystream-beam transform model.npz new.parquet -o 'out-*.parquet' --shards 8
//
// fit takes every command line that nystream fit takes, and makes the same bytes: a pass is
// one pipeline, whose elements are parts of the rows. A worker runs nystream for its part,
// by replay (the same fit, up to the pass at hand), and what it leaves are states, which
// are combined. What cannot be shared out is refused, with the reason. The command nystream
// is needed beside this one or in the PATH, here and on the workers, which see the same files.
//
// Without more flags the pipeline runs in this process, on Beam's runner prism. Flags of
// Beam stand before the verb: nystream-beam --runner=flink --endpoint=host:8099 fit …;
// --runner, --endpoint and --environment_type are known after it too. A fit then wants
// --states, a folder that all workers see.
//
// It is also a program for nystream fit --runner: nystream-beam fold.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

func main() {
	log.SetupLogging("warn", "text")
	flag.Usage = usage
	flag.Parse()
	beam.Init() // does not return on a worker
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, flag.Args())
	stop()
	var child *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &child) && child.ExitCode() > 0: // it has said why
		os.Exit(child.ExitCode())
	default:
		fmt.Fprintf(os.Stderr, "nystream-beam: %v\n", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprint(os.Stderr, "nystream-beam [flags of Beam] fit METHOD DATA... --shards 8 -o model.npz [flags of nystream fit]\n"+
		"nystream-beam [flags of Beam] transform MODEL DATA... --shards 8 -o 'out-*.parquet' [flags of nystream transform]\n"+
		"nystream-beam [flags of Beam] fold COMMAND...    for nystream fit --runner\n\n")
	flag.PrintDefaults()
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		usage()
		return errors.New("a verb is missing: fit or transform")
	}
	switch verb, args := args[0], args[1:]; verb {
	case "fit":
		return fit(ctx, args)
	case "transform":
		return transform(ctx, args)
	case "fold":
		return fold(ctx, args, os.Stdin)
	default:
		return fmt.Errorf("%q is not a verb: fit or transform", verb)
	}
}
