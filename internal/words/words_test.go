package words

import (
	"strings"
	"testing"
)

type colour uint8

var colours = []string{"red", "green"}

func TestWordsParseBack(t *testing.T) {
	for i, word := range colours {
		if got := Of(colours, colour(i)); got != word {
			t.Errorf("value %d has the word %q, not %q", i, got, word)
		}
		if got, err := Parse[colour]("colour", colours, word); err != nil || got != colour(i) {
			t.Errorf("%q is read as %d (%v)", word, got, err)
		}
	}
	if got := Of(colours, colour(7)); got != "words.colour(7)" {
		t.Errorf("a value without a word is %q", got)
	}
	if _, err := Parse[colour]("colour", colours, "blue"); err == nil || !strings.Contains(err.Error(), "red, green") {
		t.Errorf("an unknown word gives %v", err)
	}
}
