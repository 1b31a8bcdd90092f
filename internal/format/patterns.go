package format

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/knackhq/knack/internal/tree"
	"github.com/knackhq/knack/skill"
)

// patterns reads regular expressions and keeps those that compile within the
// limit. A single text is one pattern, commas and all.
func (r *reading) patterns(at *place, m *tree.Member) []string {
	list := []string{m.Value.Text}
	if !m.Value.IsScalar() {
		list = r.words(at, m.Value)
	}
	list = r.first(at, m, list, r.parser.rules.Limits.Patterns)
	kept := list[:0]
	for _, pattern := range list {
		if r.pattern(at, m.Line, pattern) {
			kept = append(kept, pattern)
		}
	}
	return kept
}

// maxClasses bounds classes such as \pL: each is one instruction, but has some
// thousand ranges that take a tenth of a millisecond to put together.
const maxClasses = 32

func (r *reading) pattern(at *place, line int, pattern string) bool {
	limit := r.parser.rules.Limits.PatternProgram
	// A byte of a literal costs an instruction, so a pattern with more bytes
	// than that is refused before it costs anything to read.
	if limit > 0 && len(pattern) > limit {
		r.report(skill.PatternTooLarge, line,
			fmt.Sprintf("%s: the pattern has %d bytes; the limit is %d", at.text(), len(pattern), limit), "write a shorter pattern")
		return false
	}
	if n := strings.Count(pattern, `\p`) + strings.Count(pattern, `\P`); n > maxClasses {
		r.report(skill.PatternTooLarge, line,
			fmt.Sprintf("%s: the pattern has %d Unicode classes; the limit is %d", at.text(), n, maxClasses), "write a shorter pattern")
		return false
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		reason, hint := patternProblem(err)
		r.report(skill.PatternInvalid, line, fmt.Sprintf("%s: %s: %s", at.text(), quoted(pattern), reason), hint)
		return false
	}
	if limit > 0 {
		if size := programSize(parsed, limit); size > limit {
			r.report(skill.PatternTooLarge, line,
				fmt.Sprintf("%s: %s needs %d instructions or more; the limit is %d", at.text(), quoted(pattern), size, limit),
				"repeat less")
			return false
		}
	}
	return true
}

// patternProblem says what is wrong with a pattern, and what to write instead
// where other engines allow what RE2 does not.
func patternProblem(err error) (reason, hint string) {
	hint = "test it with a tool for RE2 or Go regular expressions"
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return err.Error(), hint
	}
	switch wrong.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidNamedCapture: // (?<= is taken for the start of a name
		hint = "RE2 has no look-around, atomic or conditional groups and no (?x); write two patterns, or exclude_keywords"
	case syntax.ErrInvalidEscape:
		hint = `RE2 has no back-references and no \u, \Z or \G; write \x{263A} for a character, \z for the end`
	case syntax.ErrInvalidRepeatOp:
		hint = "RE2 has no possessive repeats; delete the second + or *"
	case syntax.ErrInvalidRepeatSize, syntax.ErrLarge, syntax.ErrNestingDepth:
		hint = "repeat less; 1,000 times is the most"
	}
	return wrong.Code.String() + " " + quoted(wrong.Expr), hint
}

// programSize is how many instructions a pattern compiles to at most, counted
// without compiling it, for a few characters can stand for a large program. It
// stops counting above the limit. A test compares it with the compiler.
func programSize(re *syntax.Regexp, limit int) int {
	// The program also has a fail and a match instruction.
	return 2 + instructions(re, limit)
}

func instructions(re *syntax.Regexp, limit int) int {
	total := 0
	switch re.Op {
	case syntax.OpNoMatch:
		return 0
	case syntax.OpLiteral:
		return max(len(re.Rune), 1)
	case syntax.OpRepeat:
		return repeats(re, limit)
	case syntax.OpCapture:
		total = 2
	case syntax.OpStar:
		total = 2 // the second only where its operand matches the empty text
	case syntax.OpPlus, syntax.OpQuest:
		total = 1
	case syntax.OpAlternate:
		total = len(re.Sub) - 1
	case syntax.OpConcat:
		if len(re.Sub) == 0 {
			total = 1
		}
	default: // classes, anchors, the empty match
		return 1
	}
	for _, sub := range re.Sub {
		if total += instructions(sub, limit); total > limit {
			break
		}
	}
	return total
}

// repeats counts x{min,max} the way it is compiled: min copies, then each
// further one optional; without a max, a loop.
func repeats(re *syntax.Regexp, limit int) int {
	one := instructions(re.Sub[0], limit)
	switch {
	case re.Max < 0:
		return max(re.Min, 1)*one + 2
	case re.Max == 0:
		return 1
	default:
		return re.Min*one + (re.Max-re.Min)*(one+1)
	}
}
