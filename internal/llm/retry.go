package llm

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// usualAttempts outlast a busy moment; what takes longer is for the user to know.
	usualAttempts = 4
	firstWait     = 500 * time.Millisecond
	longestWait   = 8 * time.Second
	// longestAsked is how long a server may ask to wait. Who is asked for more
	// would rather be told.
	longestAsked = 2 * time.Minute
)

// againStatus are the answers after which trying again can help.
var againStatus = map[int]bool{
	http.StatusRequestTimeout: true, http.StatusConflict: true, http.StatusTooManyRequests: true,
	500: true, 501: true, 502: true, 503: true, 504: true,
	529: true, // Anthropic's for overload
}

// retryAfter is how long a server asks to wait: in milliseconds, in seconds, or
// until a date, which counts from the server's own.
func retryAfter(h http.Header) (time.Duration, bool) {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	value := h.Get("Retry-After")
	if d, ok := number(value, time.Second); ok {
		return d, true
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0, false
	}
	return max(0, until.Sub(now)), true
}

func number(s string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	// A day is as good as for ever, and can be counted.
	return time.Duration(min(n, float64(24*time.Hour/unit)) * float64(unit)), true
}

// backoff is how long to wait before attempt n+1 if nobody says: twice as long
// each time, and up to a quarter less, so that many clients do not come back at
// once.
func backoff(n int, jitter float64) time.Duration {
	wait := min(longestWait, firstWait<<min(n-1, 10))
	return wait - time.Duration(jitter*float64(wait/4))
}

// sleep waits unless ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
