package llm

import (
	"strings"
	"unicode"
)

// longestSum is the longest expression that is taken out of a sentence.
const longestSum = 200

var (
	thousands = pattern(`\d{1,3}(?:,\d{3})+\b`)
	currency  = pattern(`[$€£¥]\s?(\d)`)
	times     = pattern(`(\d)\s+x\s+(\d)`)
	spoken    = strings.NewReplacer(" multiplied by ", " * ", " divided by ", " / ", " plus ", " + ", " minus ", " - ", " times ", " * ",
		" per cent", "%", " percent", "%", "×", "*", "÷", "/", "−", "-", "**", "^")
	percentage = pattern(`(?:^|[\s("'=:])(\d+(?:\.\d+)?)\s*%\s*(of|off)\s+(?:the\s+)?(\d+(?:\.\d+)?)(?:\.?(?:[\s?!,;:)"'=]|$))`)
	sumRun     = pattern(`[0-9.+*/^() -]+`)
	// asking words make a sum of what could be a date, a range or a fraction.
	asking = pattern(`(?i)\b(what|how much|how many|calculate|compute|calc|evaluate|solve|sum|result|difference)\b|=`)
	date   = pattern(`\d{4}-\d{1,2}-\d{1,2}|\d{1,2}/\d{1,2}/\d{2,4}`)
)

// sumIn takes the arithmetic out of a message, written for the calculator; empty
// if there is none. Of several the longest counts.
func sumIn(message string) string {
	message = strings.ToLower(prose(message))
	message = thousands().ReplaceAllStringFunc(message, func(s string) string { return strings.ReplaceAll(s, ",", "") })
	message = currency().ReplaceAllString(message, "$1")
	message = times().ReplaceAllString(spoken.Replace(message), "$1 * $2")
	if p := percentage().FindStringSubmatch(message); p != nil {
		if p[2] == "off" {
			return p[3] + "*(1-" + p[1] + "/100)"
		}
		return p[1] + "/100*" + p[3]
	}
	best := ""
	for _, at := range sumRun().FindAllStringIndex(message, -1) {
		run, ok := standsAlone(message, at[0], at[1])
		if !ok || len(run) > longestSum || len(run) <= len(best) || date().MatchString(run) {
			continue
		}
		plain, ok := checkSum(run)
		whole := strings.Trim(message, " \t\n=?.") == run
		if ok && (plain || whole || asking().MatchString(message)) {
			best = run
		}
	}
	return best
}

// standsAlone trims a run of arithmetic to what can be a sum, and reports whether
// it is part of no word or longer number.
func standsAlone(message string, start, end int) (string, bool) {
	run := message[start:end]
	left := strings.TrimLeft(run, " .+*/^)")
	start += len(run) - len(left)
	run = strings.TrimRight(left, " .+*/^(-")
	end = start + len(run)
	if run == "" {
		return "", false
	}
	if start > 0 {
		before := []rune(message[max(0, start-4):start])
		r := before[len(before)-1]
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_,.#@&/\\", r) {
			return "", false
		}
	}
	for i, r := range message[end:] {
		switch {
		case i == 0 && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_%@&/\\", r)):
			return "", false
		case i == 0 && strings.ContainsRune(".,:", r):
			continue // only a digit behind it makes it part of a number
		case i > 0 && unicode.IsDigit(r):
			return "", false
		}
		break
	}
	return run, true
}

// checkSum reports whether a run is a sum of two numbers or more, and whether its
// operators leave no doubt: - and / stand in dates and ranges as well.
func checkSum(run string) (plain, ok bool) {
	numbers, depth, operand := 0, 0, false // operand: the last thing was one
	for i := 0; i < len(run); i++ {
		switch c := run[i]; {
		case c == ' ':
		case c == '(' && !operand:
			depth++
		case c == ')' && operand && depth > 0:
			depth--
		case c == '-' && !operand:
		case strings.IndexByte("+-*/^", c) >= 0 && operand:
			operand = false
			plain = plain || c != '-' && c != '/'
		case c >= '0' && c <= '9' && !operand, c == '.' && !operand:
			end := i
			for end < len(run) && (run[end] == '.' || run[end] >= '0' && run[end] <= '9') {
				end++
			}
			if number := run[i:end]; strings.Count(number, ".") > 1 || number == "." {
				return false, false
			}
			i, operand = end-1, true
			numbers++
		default:
			return false, false
		}
	}
	return plain, operand && depth == 0 && numbers >= 2
}
