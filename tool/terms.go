package tool

import "context"

// Terms are what one call may touch. They are decided before the call, by trust,
// grants and configuration, and travel with its context: tools ask for them with
// [TermsOf] and keep to them.
type Terms struct {
	// Hosts are those that may be reached, as "api.example.com",
	// "*.example.com" or "127.0.0.1:8080". An address that is not of the public
	// internet may be reached only if it is one of them.
	Hosts []string
	// Anywhere lets it reach every public host as well.
	Anywhere bool
	// Env are variables for the programs it starts.
	Env map[string]string
	// Contained refuses to run programs where their files and network cannot be
	// contained: a skill that is not trusted has a say in what runs.
	Contained bool
}

type termsKey struct{}

// With returns a context that carries the terms of one call.
func (t Terms) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, termsKey{}, t)
}

// TermsOf are the terms of the call that a context is of. A call that nobody
// decided about has none: it reaches no host, and runs contained or not at all.
func TermsOf(ctx context.Context) Terms {
	if t, ok := ctx.Value(termsKey{}).(Terms); ok {
		return t
	}
	return Terms{Contained: true}
}
