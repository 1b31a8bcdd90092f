package edit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTOML(t *testing.T) {
	tests := []struct{ name, doc, path, value, want string }{
		{"empty document", "", "a", "1", "a = 1\n"},
		{"empty document, table", "", "a.b.c", "1", "[a.b]\nc = 1\n"},
		{"replace", "# one\na = 1 # two\nb = 2\n", "a", "true", "# one\na = true # two\nb = 2\n"},
		{"replace over several lines", "a = [\n  1, # x\n]# c\nb = 2", "a", "[]", "a = []# c\nb = 2"},
		{"replace in a table", "[t]\n  a=1\n[u]\na=1\n", "u.a", "2", "[t]\n  a=1\n[u]\na=2\n"},
		{"replace a dotted key", "a.b.c   =  1\n", "a.b.c", "2", "a.b.c   =  2\n"},
		{"replace a quoted key", "'a b'.\"c\" = 1\n", "a b.c", "2", "'a b'.\"c\" = 2\n"},
		{"replace in an inline table", "a = { b = 1, c = { d = 2 } } # x\n", "a.c.d", "3", "a = { b = 1, c = { d = 3 } } # x\n"},
		{"replace an inline table", "a = { b = 1 }\n", "a", "{}", "a = {}\n"},
		{"add to the head", "a = 1 # x\n\n[t]\nb = 1\n", "c", "2", "a = 1 # x\nc = 2\n\n[t]\nb = 1\n"},
		{"add to an empty head", "# about\n\n# table\n[t]\nb = 1\n", "c", "2", "# about\n\nc = 2\n\n# table\n[t]\nb = 1\n"},
		{"add to a head of comments", "# about\n", "c", "2", "# about\nc = 2\n"},
		{"add without final line end", "a = 1", "b", "2", "a = 1\nb = 2"},
		{"add to a table", "[t]\na = 1\n\n# next\n[u]\n", "t.b", "2", "[t]\na = 1\nb = 2\n\n# next\n[u]\n"},
		{"add to an empty table", "[t] # x\n[u]\n", "t.b", "2", "[t] # x\nb = 2\n[u]\n"},
		{"add as indented as its siblings", "[t]\n\ta = 1\n[u]\n", "t.b", "2", "[t]\n\ta = 1\n\tb = 2\n[u]\n"},
		{"add to a table of dotted keys", "a.b = 1\na.c.d = 1\nz = 1\n", "a.c.e", "2", "a.b = 1\na.c.d = 1\na.c.e = 2\nz = 1\n"},
		{"add below a table of dotted keys", "[t]\na.b = 1\nz = 1\n", "t.a.c.d", "2", "[t]\na.b = 1\na.c.d = 2\nz = 1\n"},
		{"add to an inline table", "a = { b = 1 }\n", "a.c", "2", "a = { b = 1, c = 2 }\n"},
		{"add to an empty inline table", "a = {}\n", "a.c.d", "2", "a = { c.d = 2 }\n"},
		{"add to an inline table over lines", "a = {\n  b = 1, # x\n}\n", "a.c", "2", "a = {\n  b = 1, c = 2, # x\n}\n"},
		{"add a table", "a = 1\n", "t.b", "2", "a = 1\n\n[t]\nb = 2\n"},
		{"add a table without final line end", "a = 1", "t.b", "2", "a = 1\n\n[t]\nb = 2\n"},
		{"add a table below another", "[a]\nx = 1\n", "a.b.c", "2", "[a]\nx = 1\n\n[a.b]\nc = 2\n"},
		{"add a table that was implied", "[a.b]\nx = 1\n", "a.c", "2", "[a.b]\nx = 1\n\n[a]\nc = 2\n"},
		{"add a table after an array of tables", "[[l]]\nx = 1\n", "a.c", "2", "[[l]]\nx = 1\n\n[a]\nc = 2\n"},
		{"quote new keys", "", "a b.é", "2", "[\"a b\"]\n\"é\" = 2\n"},
		{"carriage returns", "a = 1\r\n[t]\r\nb = 1\r\n", "t.c", "2", "a = 1\r\n[t]\r\nb = 1\r\nc = 2\r\n"},
		{"table with carriage returns", "a = 1\r\n", "t.c", "2", "a = 1\r\n\r\n[t]\r\nc = 2\r\n"},
		{"byte-order mark", "\ufeffa = 1\n", "a", "2", "\ufeffa = 2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := []byte(tt.doc)
			got, err := TOML(doc, strings.Split(tt.path, "."), tt.value)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
			if string(doc) != tt.doc {
				t.Error("the document given was changed")
			}
		})
	}
}

func TestTOMLRefuses(t *testing.T) {
	tests := []struct{ name, doc, path, value, want string }{
		{"broken document", "a = 1\nb =\n", "a", "1", "line 2"},
		{"bare word", "", "a", "word", "text needs quotes"},
		{"nothing", "", "a", "", "text needs quotes"},
		{"two lines", "", "a", "1\nb = 2", "more than one"},
		{"comment", "", "a", "1 # x", "more than one"},
		{"table", "[a.b]\n", "a", "1", "it is a table"},
		{"table of dotted keys", "a.b.c = 1\n", "a.b", "1", "it is a table"},
		{"table in an inline table", "a = {b.c = 1}\n", "a.b", "1", "it is a table"},
		{"below a value", "a = 1\n", "a.b", "1", "a is a value, not a table"},
		{"below a list", "a = []\n", "a.b", "1", "a is a value, not a table"},
		{"array of tables", "[[a]]\n", "a", "1", "array of tables"},
		{"in an array of tables", "[[a]]\n[a.b]\n", "a.b.c", "1", "array of tables"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := TOML([]byte(tt.doc), strings.Split(tt.path, "."), tt.value)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, error %v", got, err)
			}
		})
	}
	if _, err := TOML(nil, nil, "1"); err == nil {
		t.Error("no key: no error")
	}
}

func TestDeleteTOML(t *testing.T) {
	tests := []struct{ name, doc, path, want string }{
		{"missing", "a = 1\n[t]\n", "t.b", "a = 1\n[t]\n"},
		{"key", "# x\na = 1 # y\nb = 2\n", "a", "# x\nb = 2\n"},
		{"value over lines", "a = [\n 1,\n] # y\nb = 2", "a", "b = 2"},
		{"last line", "b = 2\na = 1", "a", "b = 2\n"},
		{"header goes with its last key", "a = 1\n\n[t]\nb = 2\n\n[u]\nc = 3\n", "t.b", "a = 1\n\n[u]\nc = 3\n"},
		{"header with a comment stays", "# mine\n[t]\nb = 2\n", "t.b", "# mine\n[t]\n"},
		{"header with a comment below stays", "[t]\n\n# mine\nb = 2\n", "t.b", "[t]\n\n# mine\n"},
		{"empty header stays", "[t]\n[u]\na = 1\n", "u.b", "[t]\n[u]\na = 1\n"},
		{"table", "a = 1\n\n[t]\nb = 2\n# x\n[t.u]\nc = 1\n[v]\n", "t", "a = 1\n\n# x\n[v]\n"},
		{"table of dotted keys", "a.b = 1\nc = 2\na.d = 3\n", "a", "c = 2\n"},
		{"in an inline table", "a = { b = 1, c = 2, d = 3 }\n", "a.c", "a = { b = 1, d = 3 }\n"},
		{"first in an inline table", "a = { b = 1, c = 2 }\n", "a.b", "a = { c = 2 }\n"},
		{"last in an inline table", "a = { b = 1, c = 2 }\n", "a.c", "a = { b = 1 }\n"},
		{"only one in an inline table", "a = {b = 1}\n", "a.b", "a = {}\n"},
		{"several in an inline table", "a = {b.c = 1, d = 1, b.e = 2}\n", "a.b", "a = {d = 1}\n"},
		{"comments in an inline table", "a = {\n  b = 1, # x\n  c = 2 # y\n}\n", "a.c", "a = {\n  b = 1, # x\n   # y\n}\n"},
		{"comma on the next line", "a = {\n  b = 1\n , c = 2\n}\n", "a.b", "a = {\n  c = 2\n}\n"},
		{"carriage returns", "a = 1\r\n\r\n[t]\r\nb = 2\r\n", "t.b", "a = 1\r\n"},
		{"byte-order mark", "\ufeffa = 1\nb = 2\n", "a", "\ufeffb = 2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := DeleteTOML([]byte(tt.doc), strings.Split(tt.path, "."))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for doc, path := range map[string]string{"[[a]]\nb = 1\n": "a.b", "[[t.a]]\n": "t", "a =": "a"} {
		if got, err := DeleteTOML([]byte(doc), strings.Split(path, ".")); err == nil {
			t.Errorf("delete %s from %q: got %q", path, doc, got)
		}
	}
}
