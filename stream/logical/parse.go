package logical

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parse parses the name of a type, as [Type.String] returns it.
func Parse(name string) (Type, error) {
	p := parser{rest: name}
	t, err := p.parse(0)
	if err == nil && p.rest != "" {
		err = fmt.Errorf("%q follows it", p.rest)
	}
	if err != nil {
		return t, fmt.Errorf("the type %q is not known: %w", name, err)
	}
	return t, nil
}

// parser parses the name of a type from left to right.
type parser struct{ rest string }

// maxDepth is the maximal nesting of types.
const maxDepth = 64

// maxPrecision is the maximal number of digits of a decimal.
const maxPrecision = 76

func (p *parser) parse(depth int) (t Type, err error) {
	word := p.rest
	if n := strings.IndexAny(word, "(<>,)"); n >= 0 {
		word = word[:n]
	}
	p.rest = p.rest[len(word):]
	bare := strings.TrimRight(word, "0123456789")
	i := slices.Index(classNames[1:], bare)
	if i < 0 {
		return t, errors.New("use a name such as int32, float64, decimal(18,4), date, timestamp(us,UTC) or text")
	}
	t.Class = Class(i + 1)
	switch {
	case t.Class == Int || t.Class == Uint || t.Class == Float:
		bits, _ := strconv.Atoi(word[len(bare):])
		if !slices.Contains([]int{8, 16, 32, 64}, bits) || t.Class == Float && bits == 8 {
			return t, errors.New("it has 8, 16, 32 or 64 bits")
		}
		t.Bits = uint8(bits)
		return t, nil
	case word != bare:
		return t, errors.New("no digits belong behind its name")
	case t.Class == List && strings.HasPrefix(p.rest, "("):
		if err := t.setSize(p.arguments()); err != nil {
			return t, err
		}
	}
	if t.IsNested() {
		return t, p.parseInside(&t, depth)
	}
	return t, t.setParameters(p.arguments())
}

// arguments returns the parameters in parentheses, nil if there are none.
func (p *parser) arguments() []string {
	inner, rest, ok := strings.Cut(p.rest, ")")
	if !ok || !strings.HasPrefix(inner, "(") {
		return nil
	}
	p.rest = rest
	list := strings.Split(inner[1:], ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// parseInside parses the types inside a nested type.
func (p *parser) parseInside(t *Type, depth int) error {
	if depth == maxDepth {
		return fmt.Errorf("types are more than %d deep in each other", maxDepth)
	}
	rest, ok := strings.CutPrefix(p.rest, "<")
	for ok {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil || !strings.HasPrefix(rest[len(quoted):], ":") {
			return errors.New(`a name in quotes and a colon belong before each type that it holds`)
		}
		m := Member{}
		m.Name, _ = strconv.Unquote(quoted)
		p.rest = rest[len(quoted)+1:]
		if m.Type, err = p.parse(depth + 1); err != nil {
			return err
		}
		t.Members = append(t.Members, m)
		if rest, ok = strings.CutPrefix(p.rest, ","); ok {
			continue
		}
		if p.rest, ok = strings.CutPrefix(p.rest, ">"); !ok {
			return errors.New("it ends early")
		}
		break
	}
	if want := map[Class]int{List: 1, Map: 2}[t.Class]; want > 0 && len(t.Members) != want || len(t.Members) == 0 {
		return fmt.Errorf("it holds %d types", len(t.Members))
	}
	return nil
}

// setParameters sets the parameters in parentheses after a name.
func (t *Type) setParameters(list []string) error {
	switch {
	case t.Class == Decimal && len(list) == 2:
		precision, err := strconv.Atoi(list[0])
		scale, bad := strconv.Atoi(list[1])
		if err != nil || bad != nil || precision < 1 || max(precision, scale, -scale) > maxPrecision {
			return fmt.Errorf("a decimal has 1 to %d digits", maxPrecision)
		}
		t.Precision, t.Scale = int8(precision), int8(scale)
		return nil
	case t.Class == Bytes && len(list) == 1:
		return t.setSize(list)
	case t.IsTemporal() && (len(list) <= 1 || len(list) == 2 && (t.Class == Timestamp || t.Class == Time)):
		return t.setUnit(list)
	case len(list) > 0 || t.Class == Decimal:
		return fmt.Errorf("%d values are in parentheses", len(list))
	}
	return nil
}

// setSize sets the fixed length of bytes and lists.
func (t *Type) setSize(list []string) error {
	size, err := int64(0), errors.New("nothing is in parentheses")
	if len(list) == 1 {
		size, err = strconv.ParseInt(list[0], 10, 32)
	}
	if err != nil || size < 1 {
		return fmt.Errorf("%s have a length from 1", map[Class]string{Bytes: "bytes", List: "lists"}[t.Class])
	}
	t.Size = int32(size)
	return nil
}

// setUnit sets the unit and the time zone. The default unit is microseconds.
func (t *Type) setUnit(list []string) error {
	if len(list) == 0 {
		if t.Class != Date {
			t.Unit = Microsecond
		}
		return nil
	}
	for u := Second; u <= Nanosecond; u++ {
		if u.String() == list[0] {
			t.Unit = u
		}
	}
	if t.Unit == NoUnit || t.Class == Date && t.Unit != Millisecond {
		return fmt.Errorf("%q is no unit of it", list[0])
	}
	if len(list) == 2 {
		t.Zone = list[1]
	}
	return nil
}
