package term

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func printed(width int, tty, color bool, print func(*Output)) string {
	var b bytes.Buffer
	print(New(&b, tty, color, width))
	return b.String()
}

var sample = Table{
	Headers: []string{"", "NAME", "DESCRIPTION"},
	Rows: [][]string{
		{"✓", "weather", "Forecasts for any place"},
		{"!", "天气预报", "中国城市的天气预报"},
		{"✗", "dev-👩\u200d💻", "evil\x1b[2J\tname\nand more"},
	},
}

func TestTableAligns(t *testing.T) {
	got := printed(60, true, false, func(o *Output) { o.Table(sample) })
	want := strings.Join([]string{
		"   NAME      DESCRIPTION",
		"✓  weather   Forecasts for any place",
		"!  天气预报  中国城市的天气预报",
		"✗  dev-👩\u200d💻    evil name and more",
		"",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTableCutsTheLastColumnFirst(t *testing.T) {
	got := printed(24, true, false, func(o *Output) { o.Table(sample) })
	want := strings.Join([]string{
		"   NAME      DESCRIPTION",
		"✓  weather   Forecasts …",
		"!  天气预报  中国城市的…",
		"✗  dev-👩\u200d💻    evil name …",
		"",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTableWraps(t *testing.T) {
	table := sample
	table.Wrap = true
	got := printed(24, true, false, func(o *Output) { o.Table(table) })
	want := strings.Join([]string{
		"   NAME      DESCRIPTION",
		"✓  weather   Forecasts",
		"             for any",
		"             place",
		"!  天气预报  中国城市的",
		"             天气预报",
		"✗  dev-👩\u200d💻    evil name",
		"             and more",
		"",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTableForScripts(t *testing.T) {
	long := strings.Repeat("long ", 60) + "end"
	got := printed(20, false, false, func(o *Output) {
		o.Table(Table{Headers: []string{"A", "B"}, Rows: [][]string{{"x", long}, {"tab\there", "new\nline"}}})
	})
	want := "x\t" + long + "\ntab here\tnew line\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTableStyles(t *testing.T) {
	got := printed(40, true, true, func(o *Output) {
		o.Table(Table{Headers: []string{"S", "NAME"}, Rows: [][]string{{o.Good("ok"), o.Title("weather")}, {o.Bad("failed"), "x"}}})
	})
	want := "\x1b[2mS\x1b[0m       \x1b[2mNAME\x1b[0m\n" +
		"\x1b[32mok\x1b[0m      \x1b[1mweather\x1b[0m\n" +
		"\x1b[31mfailed\x1b[0m  x\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTableASCII(t *testing.T) {
	var b bytes.Buffer
	New(&b, true, false, 20).ASCII().Table(Table{Rows: [][]string{{"x", strings.Repeat("word ", 20)}}})
	if got, want := b.String(), "x  word word word...\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTableEmptyAndRagged(t *testing.T) {
	got := printed(40, true, false, func(o *Output) {
		o.Table(Table{})
		o.Table(Table{Rows: [][]string{{"a"}, {"b", "c"}, {}}})
	})
	if want := "a\nb  c\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Whatever the cells hold, rows of up to five columns fit any terminal that has
// room for them, and the second column starts in the same place on every row.
func TestTableFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 5).Draw(t, "columns")
		width := rapid.IntRange(columns*(minColumn+gap), 200).Draw(t, "width")
		cell := rapid.StringOf(rapid.OneOf(
			rapid.Rune(), rapid.RuneFrom([]rune("abc 天气预报한국어")), rapid.RuneFrom([]rune("👩💻🇩🇪\u200d\ufe0f\u0301"))))
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, columns, columns), 1, 8).Draw(t, "rows")
		got := printed(width, true, false, func(o *Output) { o.Table(Table{Rows: rows}) })
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if len(lines) != len(rows) {
			t.Fatalf("%d rows became %d lines", len(rows), len(lines))
		}
		for _, line := range lines {
			if w := Width(line); w > width {
				t.Fatalf("line %q is %d wide, the terminal %d", line, w, width)
			}
		}
	})
}

func TestFields(t *testing.T) {
	fields := []Field{
		{"Name", "weather"},
		{"Homepage", ""},
		{"Description", "Forecasts for any\x1b[2J place on Earth"},
		{"地点", "one\ntwo"},
	}
	got := printed(30, true, false, func(o *Output) { o.Fields(fields) })
	want := "Name         weather\n" +
		"Description  Forecasts for any\n" +
		"             place on Earth\n" +
		"地点         one\n" +
		"             two\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("terminal (-want +got):\n%s", diff)
	}
	got = printed(30, false, false, func(o *Output) { o.Fields(fields) })
	want = "Name:\tweather\nDescription:\tForecasts for any place on Earth\n地点:\tone two\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pipe (-want +got):\n%s", diff)
	}
}
