package catalog

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/knackhq/knack/internal/format"
	"github.com/knackhq/knack/skill"
)

// fill gives every field of v, however deep, a value that is not its zero and
// differs from all others.
func fill(v reflect.Value, next *int) {
	*next++
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[skill.Text]() {
			v.Set(reflect.ValueOf(skill.NewText(fmt.Sprintf("text %d", *next))))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), next)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("string %d", *next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*next) * 1000)
	case reflect.Uint64:
		v.SetUint(uint64(*next) << 40)
	default:
		panic("no rule to fill a " + v.Type().String())
	}
}

// A field that is added to skill.Skill and forgotten here fails this test.
func TestEveryFieldOfASkillIsKept(t *testing.T) {
	var want skill.Skill
	fill(reflect.ValueOf(&want).Elem(), new(int))
	w := wire{mem: &memory{}}
	w.skill(&want)
	var got skill.Skill
	r := reader(string(w.out), &memory{})
	r.skill(&got)
	if r.bad || r.in != "" {
		t.Fatalf("not read to the end: %d bytes left, bad %v", len(r.in), r.bad)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("written and read back (-want +got):\n%s", diff)
	}
}

func TestRecordLeavesTextOut(t *testing.T) {
	var res format.Result
	fill(reflect.ValueOf(&res).Elem(), new(int))
	rec, _ := pack(&res, nil, &memory{})
	var e skill.Entry
	usable, ok := rec.unpack(&e, &memory{})
	if !ok || !usable {
		t.Fatalf("usable %v, ok %v", usable, ok)
	}
	want := res.Skill
	want.Body, want.Prompts, want.Resources = skill.Text{}, nil, nil
	if diff := cmp.Diff(want, e.Skill); diff != "" {
		t.Errorf("skill (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(res.Diagnostics, e.Diagnostics); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

func TestNumbersSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i, u, f, s := rapid.Int64().Draw(t, "i"), rapid.Uint64().Draw(t, "u"), rapid.Uint64().Draw(t, "f"), rapid.String().Draw(t, "s")
		st := stamp{mtime: i, ctime: -i, inode: u, size: i / 2, mode: uint32(u)}
		w := wire{mem: &memory{}}
		w.int64(&i)
		w.uint64(&u)
		w.fixed64(&f)
		w.string(&s)
		w.stamp(&st)
		var (
			gotI       int64
			gotU, gotF uint64
			gotS       string
			gotStamp   stamp
		)
		r := reader(string(w.out), &memory{})
		r.int64(&gotI)
		r.uint64(&gotU)
		r.fixed64(&gotF)
		r.string(&gotS)
		r.stamp(&gotStamp)
		if r.bad || r.in != "" || gotI != i || gotU != u || gotF != f || gotS != s || gotStamp != st {
			t.Fatalf("got %v %v %v %q %v, want %v %v %v %q %v", gotI, gotU, gotF, gotS, gotStamp, i, u, f, s, st)
		}
	})
}

// A list says how long it is before it comes. Saying that it is huge must not
// be enough to make it so.
func TestGarbageCannotAskForMemory(t *testing.T) {
	huge := binary.AppendUvarint(nil, math.MaxInt64)
	for name, read := range map[string]func(*wire){
		"strings": func(w *wire) { var v []string; w.strings(&v) },
		"string":  func(w *wire) { var v string; w.string(&v) },
		"diagnostics": func(w *wire) {
			var v []skill.Diagnostic
			list(w, &v, &w.mem.diagnostics, diagnosticBytes, (*wire).diagnostic)
		},
		"folders": func(w *wire) { w.in = "\x00" + w.in; new(oldRoot).read(w) },
	} {
		w := reader(string(huge)+strings.Repeat("\x01", 100), &memory{})
		if read(w); !w.bad {
			t.Errorf("%s: a length beyond the input was believed", name)
		}
	}
}

func TestSlabsDoNotOverlap(t *testing.T) {
	var s slab[int]
	a, b := s.take(3), s.take(3)
	a = append(a, 9)
	if b[0] != 0 || len(a) != 4 || s.take(0) != nil || len(s.take(1000)) != 1000 {
		t.Errorf("a %v, b %v", a, b)
	}
}

// elements counts what is in the lists of v.
func elements(v reflect.Value) int {
	n := 0
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			n += elements(v.Field(i))
		}
	case reflect.Slice:
		n = v.Len()
		for i := range v.Len() {
			n += elements(v.Index(i))
		}
	}
	return n
}

func FuzzRecord(f *testing.F) {
	var res format.Result
	fill(reflect.ValueOf(&res).Elem(), new(int))
	rec, _ := pack(&res, nil, &memory{})
	f.Add([]byte(rec.packed))
	empty, _ := pack(&format.Result{}, nil, &memory{})
	f.Add([]byte(empty.packed))
	f.Add([]byte("\x01\xff\xff\xff\xff\x7f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec := record{packed: string(data)}
		var e skill.Entry
		_, ok := rec.unpack(&e, &memory{})
		if n := elements(reflect.ValueOf(e)); n > len(data) {
			t.Errorf("%d bytes made lists of %d elements", len(data), n)
		}
		if !ok {
			return
		}
		again, _ := pack(&format.Result{Skill: e.Skill, Diagnostics: e.Diagnostics}, nil, &memory{})
		var e2 skill.Entry
		if _, ok := again.unpack(&e2, &memory{}); !ok {
			t.Fatal("what was read cannot be written and read again")
		}
		e.Body, e.Prompts, e.Resources = skill.Text{}, nil, nil
		if diff := cmp.Diff(e, e2); diff != "" {
			t.Error(diff)
		}
	})
}
