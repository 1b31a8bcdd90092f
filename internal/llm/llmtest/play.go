package llmtest

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// play sends a response and does what its directives say.
func play(w http.ResponseWriter, r *http.Request, head, text string) {
	status := http.StatusOK
	w.Header().Set("Content-Type", "text/event-stream")
	for _, line := range lines(head) {
		if n, err := strconv.Atoi(line); err == nil {
			status = n
			if status >= 400 {
				w.Header().Set("Content-Type", "application/json")
			}
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		w.Header().Set(name, strings.TrimSpace(value))
	}
	w.WriteHeader(status)
	send := func(s string) bool {
		_, err := w.Write([]byte(s))
		return err == nil
	}
	flush := http.NewResponseController(w).Flush
	for line := range strings.Lines(text) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "!cut":
			_ = flush()
			panic(http.ErrAbortHandler) // how a handler breaks a connection
		case "!hang":
			_ = flush()
			<-r.Context().Done()
			return
		case "!sleep":
			_ = flush()
			d, err := time.ParseDuration(rest)
			if err != nil {
				panic(err)
			}
			time.Sleep(d)
		case "!endless":
			piece := strings.Repeat(rest, 1+4096/max(1, len(rest)))
			// A client that takes a gigabyte has no bound.
			for sent := 0; sent < 1<<30 && r.Context().Err() == nil && send(piece); sent += len(piece) {
			}
			return
		default:
			if !send(line) {
				return
			}
			if strings.TrimSpace(line) == "" {
				_ = flush()
			}
		}
	}
	_ = flush()
}
