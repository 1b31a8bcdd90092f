package strategy

import "testing"

func TestPick(t *testing.T) {
	table := []Named[int]{{"one", 1}, {"two", 2}}
	if got, err := Pick("step.knob", "two", table); got != 2 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	_, err := Pick("step.knob", "three", table)
	if want := `step.knob is "three"; it can be one, two`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
