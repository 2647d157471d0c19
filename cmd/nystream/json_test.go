package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// checkJSON implements json FILE KEY VALUE..., and ! json FILE KEY... for absent keys.
// FILE holds one JSON value. A key is a path such as passes.data or values.0. VALUE is
// a range LOW..HIGH of a number, a /pattern/, a string without quotes, or other JSON.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || !neg && len(args)%2 == 0 {
		ts.Fatalf("usage: json file key value..., ! json file key...")
	}
	var document any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &document))
	if neg {
		for _, key := range args[1:] {
			if v, err := lookUp(document, key); err == nil {
				ts.Fatalf("%s is %s", key, text(v))
			}
		}
		return
	}
	for i := 1; i < len(args); i += 2 {
		v, err := lookUp(document, args[i])
		if err == nil {
			err = matches(v, args[i+1])
		}
		if err != nil {
			ts.Fatalf("%s: %v", args[i], err)
		}
	}
}

// lookUp returns the value at a path of keys and indices.
func lookUp(v any, path string) (any, error) {
	for key := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			found, ok := in[key]
			if !ok {
				return nil, fmt.Errorf("no key %q in %s", key, text(v))
			}
			v = found
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return nil, fmt.Errorf("no index %q in %s", key, text(v))
			}
			v = in[i]
		default:
			return nil, fmt.Errorf("no key %q in %s", key, text(v))
		}
	}
	return v, nil
}

// matches returns an error unless a value is as a script expects.
func matches(v any, want string) error {
	ok := false
	if pattern, isPattern := strings.CutPrefix(want, "/"); isPattern && strings.HasSuffix(pattern, "/") {
		r, err := regexp.Compile(strings.TrimSuffix(pattern, "/"))
		if err != nil {
			return err
		}
		ok = r.MatchString(text(v))
	} else if s, isString := v.(string); isString {
		ok = s == want
	} else if low, high, isRange := strings.Cut(want, ".."); isRange {
		x, isNumber := v.(float64)
		a, err := strconv.ParseFloat(low, 64)
		b, err2 := strconv.ParseFloat(high, 64)
		ok = isNumber && err == nil && err2 == nil && a <= x && x <= b
	} else {
		var expected any
		ok = json.Unmarshal([]byte(want), &expected) == nil && reflect.DeepEqual(v, expected)
	}
	if !ok {
		return fmt.Errorf("%s, not %s", text(v), want)
	}
	return nil
}

// text returns strings unquoted and other values as JSON.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	must(err)
	return string(b)
}

func TestJSONPatterns(t *testing.T) {
	var document any
	err := json.Unmarshal([]byte(`{"name":"s3spsd","n":300,"small":1e-9,"list":[{"a":null},true],"empty":{}}`), &document)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		key, want string
		ok        bool
	}{
		{"name", "s3spsd", true}, {"name", "s3", false}, {"name", "/^s3/", true}, {"name", "/^spsd/", false},
		{"n", "300", true}, {"n", "3e2", true}, {"n", "301", false}, {"n", "299..301", true},
		{"n", "1..2", false}, {"n", "..", false},
		{"small", "0..1e-8", true}, {"name", "0..1", false}, {"list.0.a", "null", true},
		{"list.1", "true", true}, {"list.1", "false", false},
		{"list", `[{"a": null}, true]`, true}, {"list", "[]", false}, {"empty", "{}", true}, {"n", "", false},
		{"none", "/./", false}, {"list.2", "/./", false}, {"list.-1", "/./", false},
		{"n.a", "/./", false}, {"n", "/(/", false},
	} {
		v, err := lookUp(document, test.key)
		if err == nil {
			err = matches(v, test.want)
		}
		if (err == nil) != test.ok {
			t.Errorf("%s %s: %v", test.key, test.want, err)
		}
	}
}
