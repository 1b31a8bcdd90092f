package route

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
)

// backgroundTable says in how many skills of a large collection a general word
// occurs. Each line has a level and the stems of that level: a stem of level n
// occurs in one of 2^(n/4) skills. Words of few skills or few authors are
// not in it; nothing in it names a skill.
//
//go:embed background.txt
var backgroundTable string

// everydayTable has words, unstemmed, that people say in conversation whatever
// they want, in the languages whose function words would otherwise be rare
// here and so look telling. Its lines are as those of the background.
//
//go:embed everyday.txt
var everydayTable string

const (
	// backgroundSkills is how many skills the background stands for. A library
	// of that size has as much to say about what is rare as the background.
	backgroundSkills = 1200
	// rareIn is in how many of them a word is taken to occur that the table does
	// not have: fewer than its least, which is six, and often none.
	rareIn = 1
)

// background gives the number of background skills that a stem occurs in.
func background() map[string]float64 {
	out := make(map[string]float64, 8192)
	read := func(table string, stemmed bool) {
		s := splitter{}
		for line := range strings.Lines(table) {
			level, words, _ := strings.Cut(line, " ")
			n, err := strconv.Atoi(level)
			if err != nil {
				continue // a comment
			}
			in := backgroundSkills / math.Exp2(float64(n)/4)
			s.emit = func(stem []byte) { out[string(stem)] = max(out[string(stem)], in) }
			if !stemmed {
				s.split(words)
				continue
			}
			for word := range strings.FieldsSeq(words) {
				s.emit([]byte(word))
			}
		}
	}
	read(backgroundTable, true)
	read(everydayTable, false)
	return out
}

// rarity is what a stem is worth that occurs in this many skills of a library,
// and in so many of the background.
func rarity(local, skills int, behind float64) float32 {
	n, df := float64(skills)+backgroundSkills, float64(local)+behind
	return float32(math.Log(1 + (n-df+0.5)/(df+0.5)))
}
