package route

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/skill"
)

// native are the rules as they ship.
func native() Rules { return Rules{Scorer: "ranked", Least: 0.5, Max: 3, Suggest: 10} }

func described(name, description, body string) *skill.Skill {
	return &skill.Skill{Name: name, Slug: name, Description: skill.NewText(description), Body: skill.NewText(body)}
}

// shelf is a small library, as people have it.
func shelf() []*skill.Skill {
	ruled := described("release-notes", "Write release notes from merged pull requests.", "Collect the commits since the last tag.")
	ruled.Activation = skill.Activation{
		Keywords: []string{"change log"}, ExcludeKeywords: []string{"podcast"}, Patterns: []string{`\bv\d+\.\d+\.\d+\b`, `ship(ping)? it`},
	}
	return []*skill.Skill{
		described("weather", "Get current weather and forecasts for any city.", "Call the service with the city. Shows temperature, wind and rain."),
		described("invoice-maker", "Create PDF invoices and send them to customers.", "Ask for the customer, the items and the due date."),
		described("HouseRentingTool", "Find apartments to rent.", ""),
		described("video-frames", "Extract frames or clips from videos using ffmpeg.", "Give a timestamp to cut a thumbnail."),
		ruled,
		described("tianqi", "查询天气预报和空气质量", "支持所有城市的天气。"),
		described("invoice-maker-copy", "Create PDF invoices and send them to customers.", "Ask for the customer, the items and the due date."),
		described("taqs", "عرض حالة الطقس في المدينة", ""),
	}
}

func chooser(t testing.TB, skills []*skill.Skill) *ranked {
	t.Helper()
	c, err := New(native(), skills)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*ranked)
}

func called(skills []*skill.Skill, picks []Pick) []string {
	out := []string{}
	for _, p := range picks {
		out = append(out, skills[p.Skill].Name)
	}
	return out
}

func TestSelect(t *testing.T) {
	skills := shelf()
	x := chooser(t, skills)
	for _, c := range []struct {
		message  string
		activate []string
		best     string // among those suggested, where none is activated
	}{
		{"what is the weather forecast for Lisbon", []string{"weather"}, ""},
		{"create an invoice as pdf and send it to the customer", []string{"invoice-maker"}, ""},
		{"extract a clip from this video with ffmpeg", []string{"video-frames"}, ""},
		{"extrct some frames from the video", []string{"video-frames"}, ""}, // a typo
		{"rent apartments, please: renting a house is too dear", []string{"HouseRentingTool"}, ""},
		{"北京的天气预报", []string{"tianqi"}, ""},
		{"🎬🎬 extract video frames 🎞️", []string{"video-frames"}, ""},
		{"ما حالة الطقس", []string{"taqs"}, ""},
		{"put v1.22.3 into the notes of the release", []string{"release-notes"}, ""},
		{"update the change log", []string{"release-notes"}, ""},
		{"write release notes for my podcast", []string{}, ""}, // which it excludes
		{"thumbnail", []string{}, "video-frames"},              // one word of a body is no request
		{"ok thanks, you are great", []string{}, ""},
		{"hello! how are you today?", []string{}, ""},
		{"", []string{}, ""},
		{"\x00\xff\xfe", []string{}, ""},
	} {
		got := x.Select(c.message)
		if diff := cmp.Diff(c.activate, called(skills, got.Activate)); diff != "" {
			t.Errorf("%q activates (-want +got)\n%s%+v", c.message, diff, got)
		}
		if c.best != "" && (len(got.Suggest) == 0 || skills[got.Suggest[0].Skill].Name != c.best) {
			t.Errorf("%q suggests %v, want %s first", c.message, called(skills, got.Suggest), c.best)
		}
		if got.Considered != len(skills) {
			t.Errorf("%q: %d of %d considered", c.message, got.Considered, len(skills))
		}
	}
}

func TestReasons(t *testing.T) {
	x := chooser(t, shelf())
	got := x.Select("put v1.22.3 into the release notes")
	if len(got.Activate) != 1 {
		t.Fatalf("%+v", got)
	}
	reasons := got.Activate[0].Reasons
	var told []string
	for i, r := range reasons {
		told = append(told, fmt.Sprintf("%s %s in %s", r.Kind, r.Text, r.Field))
		if r.Weight <= 0 || i > 1 && r.Weight > reasons[i-1].Weight {
			t.Errorf("%+v", reasons)
		}
	}
	want := []string{`pattern \bv\d+\.\d+\.\d+\b in patterns`, "name releas in name", "name note in name"}
	if len(told) < 3 || told[0] != want[0] || !slices.Contains(told, want[1]) || !slices.Contains(told, want[2]) {
		t.Errorf("got %q, want %q among them", told, want)
	}
}

// Twins take one place, and it is the first's.
func TestTwins(t *testing.T) {
	skills := shelf()
	got := chooser(t, skills).Select("create pdf invoices for customers")
	names := append(called(skills, got.Activate), called(skills, got.Suggest)...)
	if !slices.Contains(names, "invoice-maker") || slices.Contains(names, "invoice-maker-copy") {
		t.Errorf("got %v", names)
	}
	long := strings.Repeat("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega one two three ", 3)
	near := []*skill.Skill{described("greek", "Letters of the Greeks.", long), described("greek", "Letters of the Greeks!", long+"four"), described("other", "Numbers.", "one two three")}
	if diff := cmp.Diff([]uint32{0, 0, 2}, chooser(t, near).twins); diff != "" {
		t.Error(diff)
	}
}

func TestBounds(t *testing.T) {
	x := chooser(t, shelf())
	for name, message := range map[string]string{
		"line":  strings.Repeat("x", 1_000_000),
		"wide":  strings.Repeat("天", 300_000),
		"words": strings.Repeat("weather invoice video ", 100_000),
		"different": func() string {
			var b strings.Builder
			for i := range 20_000 {
				fmt.Fprintf(&b, "word%dx ", i)
			}
			return b.String()
		}(),
		"emoji": strings.Repeat("👩‍👩‍👧", 50_000),
		"marks": strings.Repeat("e\u0301", 100_000),
	} {
		got := x.Select(message)
		if len(got.Activate) > 3 || len(got.Suggest) > 10 {
			t.Errorf("%s: %d and %d picks", name, len(got.Activate), len(got.Suggest))
		}
	}
	q := x.scratch()
	x.read(q, strings.Repeat("a b1 c2 ", 100_000))
	if len(q.order) > mostWords || len(q.asked) > mostStems {
		t.Errorf("%d words, %d stems", len(q.order), len(q.asked))
	}
}

// Many ask at once, and each gets what it would get alone.
func TestSelectIsDeterministic(t *testing.T) {
	x, y := chooser(t, shelf()), chooser(t, shelf())
	messages := []string{"weather forecast", "send invoices, ship it", "extract frames v1.2.3", "天气", "nothing of the kind"}
	want := map[string]string{}
	for _, m := range messages {
		want[m] = asJSON(t, y.Select(m))
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 200 {
				m := messages[i%len(messages)]
				if got := asJSON(t, x.Select(m)); got != want[m] {
					t.Errorf("%s: got %s, want %s", m, got, want[m])
				}
			}
		})
	}
	wg.Wait()
}

func asJSON(t testing.TB, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

// Whatever the library, its stored form answers as it does, and a change of any
// byte is noticed.
func TestStored(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		words := rapid.SampledFrom(strings.Fields("weather invoice video 天气 release notes send create pdf Straße camelCase x1 a and the")).AsAny()
		text := rapid.Custom(func(r *rapid.T) string {
			return strings.Trim(fmt.Sprint(rapid.SliceOfN(words, 0, 12).Draw(r, "words")), "[]")
		})
		var skills []*skill.Skill
		for range rapid.IntRange(0, 12).Draw(r, "skills") {
			s := described(text.Draw(r, "name"), text.Draw(r, "description"), text.Draw(r, "body"))
			s.Activation.Keywords = []string{text.Draw(r, "keyword")}
			s.Activation.ExcludeKeywords = rapid.SliceOfN(text, 0, 1).Draw(r, "exclude")
			s.Activation.Patterns = rapid.SliceOfN(rapid.SampledFrom([]string{"send.*pdf", "x?", "(?i)Notes", "天.", "("}), 0, 2).Draw(r, "patterns")
			skills = append(skills, s)
		}
		made, err := New(native(), skills)
		if err != nil {
			r.Fatal(err)
		}
		data, ok := Append([]byte("before"), made)
		if !ok {
			r.Fatal("not stored")
		}
		data = data[len("before"):]
		read, err := Decode(native(), data)
		if err != nil {
			r.Fatal(err)
		}
		m := text.Draw(r, "message")
		if diff := cmp.Diff(made.Select(m), read.Select(m)); diff != "" {
			r.Fatalf("%q (-made +read)\n%s", m, diff)
		}
		if again, _ := Append(nil, read); string(again) != string(data) {
			r.Fatal("another form the second time")
		}
		data[rapid.IntRange(0, len(data)-1).Draw(r, "at")] ^= byte(rapid.IntRange(1, 255).Draw(r, "change"))
		if _, err := Decode(native(), data); !errors.Is(err, ErrStored) {
			r.Fatalf("a changed byte gives %v", err)
		}
	})
	if _, ok := Append(nil, none{}); ok {
		t.Error("there is something to store of nothing")
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"caresses": "caress", "ponies": "poni", "cats": "cat", "agreed": "agre", "plastered": "plaster", "motoring": "motor",
		"hopping": "hop", "filing": "file", "happy": "happi", "generation": "gener", "generators": "gener", "generate": "gener",
		"relational": "relat", "extraction": "extract", "extracting": "extract", "adjustment": "adjust", "controlling": "control",
		"rate": "rate", "as": "as", "naïve": "naïve", "123": "123", "bus": "bu", "yes": "ye", "y": "y", "sky": "sky",
	} {
		if got := string(stem([]byte(word))); got != want {
			t.Errorf("stem(%s) = %s, want %s", word, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"Hello, World":                  "hello world",
		"release-notes_v2":              "releas note v2",
		"HouseRentingTool":              "hous rent tool houserentingtool",
		"parseJSONFile":                 "pars json file parsejsonfil",
		"the user's don’t":              "the user don",
		"Straße CAFÉ e\u0301te\u0301":   "straße cafe et",
		"北京天气":                          "北京 京天 天气",
		"用 git 吗":                       "用 git 吗",
		"ｆｕｌｌ ﬁne":                      "full fine",
		"שלום عالم":                     "שלום عالم",
		"🙂 a 7":                         "7",
		strings.Repeat("z", 100):        strings.Repeat("z", longestWord),
		strings.Repeat("é", 100) + " b": strings.Repeat("e", 37),
	} {
		var got []string
		s := splitter{emit: func(stem []byte) { got = append(got, string(stem)) }}
		s.split(text)
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%.20q\n%s", text, diff)
		}
	}
}

func TestLiterals(t *testing.T) {
	for source, want := range map[string]string{
		"release notes": "elea", `\bdeploy\b`: "deploy", "(?:foo|bar)": "", "a+b": "a", "(Draft)+": "draft", "x?": "", "天气": "",
	} {
		re, err := syntax.Parse(source, syntax.Perl|syntax.FoldCase)
		if err != nil {
			t.Fatal(err)
		}
		if got := literalOf(re.Simplify()); got != want && !(source == "release notes" && len(got) >= 3) {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

func TestOneEdit(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"weathr", "weather"}: true, {"wether", "weather"}: true, {"waether", "weather"}: true, {"weather", "weather"}: true,
		{"wxyther", "weather"}: false, {"we", "weather"}: false, {"weathre", "weather"}: true, {"", "a"}: true,
	} {
		if got := oneEdit([]byte(pair[0]), []byte(pair[1])); got != want {
			t.Errorf("%s: %v", pair, got)
		}
	}
}

func TestUnknownScorer(t *testing.T) {
	_, err := New(Rules{Scorer: "magic"}, nil)
	if want := `route.scorer is "magic"; it can be ranked, weights, words, none`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	c, err := New(Rules{Scorer: "none"}, shelf())
	if err != nil || len(c.Select("weather").Suggest) > 0 {
		t.Errorf("%v", err)
	}
}

func FuzzSelect(f *testing.F) {
	for _, m := range []string{"weather in Lisbon", "北京天气", "v1.2.3 ship it", "e\u0301 ß ﬁ", "\xff\x00", "don't CamelCASE"} {
		f.Add(m, m)
	}
	x := chooser(f, shelf())
	f.Fuzz(func(t *testing.T, message, text string) {
		got := x.Select(message)
		if diff := cmp.Diff(got, x.Select(message)); diff != "" {
			t.Fatal(diff)
		}
		if len(got.Activate) > 3 || len(got.Suggest) > 10 {
			t.Fatalf("%+v", got)
		}
		for _, p := range append(got.Activate, got.Suggest...) {
			if !(p.Score >= 0 && p.Score <= 1) {
				t.Fatalf("score %v", p.Score)
			}
		}
		s := described(text, text, text)
		s.Activation = skill.Activation{Keywords: []string{text}, ExcludeKeywords: []string{message}, Patterns: []string{text}}
		c, err := index(native(), []*skill.Skill{s}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Select(message)
	})
}

func FuzzDecode(f *testing.F) {
	// Without the background, so that the seeds are short.
	for _, skills := range [][]*skill.Skill{nil, shelf()[:1], shelf()[2:6]} {
		c, err := index(native(), skills, nil, nil)
		if err != nil {
			f.Fatal(err)
		}
		whole, _ := Append(nil, c)
		f.Add(whole[len(storedForm) : len(whole)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		// The checksum is made right, else nothing behind it would be reached.
		c, err := decodeRanked(native(), sealed(append([]byte(storedForm), body...)))
		if err != nil {
			return
		}
		c.Select("weather forecast v1.2.3 ship it 天气")
		if data, ok := Append(nil, c); !ok || len(data) > 2*len(body)+1000 {
			t.Fatalf("%d bytes of %d", len(data), len(body))
		}
	})
}
