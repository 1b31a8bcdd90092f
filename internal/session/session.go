// Package session is what one conversation can do with a snapshot of skills. It
// is pure: no file, clock or process is touched, and the same input gives the
// same answer.
//
// # The active set
//
// [Active] is the set of skills whose instructions count, each with the
// [Reason] it is there for. An [Activator] changes it, within its budget, and
// words the outcome.
//
// # Slash commands
//
// [NewCommands] checks the rules of a profile's [command] section once;
// [CommandSet.With] names the commands of a snapshot. A name is the skill's, in
// lower-case letters, digits and underscores, cut to the limit. It is unique
// among the commands and none of the reserved words: the earlier skill keeps the
// plain name, the next ones get _2, _3 and so on, the base cut to make room.
//
// What a user types goes through [CommandSet.Expand]:
//
//	/name args         the command of that name
//	/skill NAME args   the skill of that name; space, _ and - are alike
//	text with $name    mentions, as many as the rules allow; \$name is none
//
// The answer lists the skills to activate and the text for the model. A skill
// whose author sends its command straight to a tool (command-dispatch) gives a
// [Dispatch] instead: there is no turn of a model. A skill that is known but
// cannot be used is a problem said in words, never silence; what names nothing
// is passed on as it was written. [CommandSet.Parse] is the slash part alone.
//
// # The environment of a skill's programs
//
// The configuration may give a skill variables and a key for the service it
// talks to. [Env.For] says which of them the skill's child processes get: those
// that the process has not set itself, that change nothing about which programs
// run or whom they trust, and of those that look like secrets only the ones the
// skill declares. What is refused is explained by name; a value is never shown.
// Our own process is never changed.
package session
