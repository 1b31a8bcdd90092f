package llm

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// written are the arguments of a call: what came in pieces, else what came at
// once, else none.
func written(pieces, whole string) json.RawMessage {
	switch {
	case strings.TrimSpace(pieces) != "":
		return json.RawMessage(pieces)
	case whole != "" && whole != "null":
		return json.RawMessage(whole)
	}
	return json.RawMessage(`{}`)
}

// brokenStream sorts out why reading failed: a connection that broke, or a server
// that sends no lines.
func brokenStream(err error) error {
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return errTooMuch
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errCut
	}
	return err
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// foreignMark begins the signatures and seals of what servers of OpenAI's
// protocol want back, which are no signatures to anybody else. Those of Anthropic
// are base64, which has no colon.
const foreignMark = "openai:"

func foreign(r Reasoning) bool {
	return strings.HasPrefix(r.Signature, foreignMark) || strings.HasPrefix(r.Sealed, foreignMark)
}
