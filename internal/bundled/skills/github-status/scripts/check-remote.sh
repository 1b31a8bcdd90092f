#!/bin/sh
# Tells in one line whether a git remote answers. Reads nothing but the remote's
# list of refs, sends no credentials, writes no file.
#
#   check-remote.sh [URL]
#
# Exit status: 0 when the remote answered (ok, auth), 1 when not, 2 on bad use.
set -u

url=${1:-https://github.com/git/git.git}

# Only URLs that name a network protocol. A path or "ext::" would let the
# argument run programs of its choice.
case $url in
-* | *://-* | *@-* | *[[:space:]]* | *::*)
	echo "failed: not a URL of a git remote"
	exit 2
	;;
https://* | http://* | ssh://* | git://*) ;;
*@*:*) ;; # git@host:owner/repo.git
*)
	echo "failed: give a URL such as https://github.com/owner/repo.git"
	exit 2
	;;
esac

if ! command -v git >/dev/null 2>&1; then
	echo "failed: git is not installed"
	exit 2
fi

# A password that somebody put into the URL is neither sent nor printed. ssh keeps
# its user name, without which it would log in as somebody else.
shown=$(printf '%s\n' "$url" | sed 's#^\([a-z]*://\)[^/]*@#\1#')
case $url in
http://* | https://* | git://*) url=$shown ;;
esac

# The user's and the repository's configuration stay out of it: they may rewrite
# URLs, name helper programs or hold credentials, and the question is the network.
cd / || exit 2
unset GIT_DIR GIT_WORK_TREE GIT_CONFIG_PARAMETERS GIT_CONFIG_COUNT GIT_SSH GIT_PROXY_COMMAND
export LC_ALL=C
export HOME=/dev/null # no ~/.netrc
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
export GIT_ALLOW_PROTOCOL=https:http:ssh:git
export GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=true SSH_ASKPASS=true
# Ten seconds of nothing is an answer too; the whole test must end well before a
# caller's timeout of two minutes.
export GIT_HTTP_LOW_SPEED_LIMIT=1 GIT_HTTP_LOW_SPEED_TIME=10
export GIT_SSH_COMMAND='ssh -F /dev/null -o BatchMode=yes -o ConnectTimeout=10 -o IdentityAgent=none -o IdentitiesOnly=yes -o IdentityFile=/dev/null -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null'

if said=$(git ls-remote --heads -- "$url" 2>&1 >/dev/null); then
	echo "ok: $shown answers"
	exit 0
fi

# A URL has no spaces, so phrases with one are git's words and never the URL's.
case $said in
*"Could not resolve host"* | *"Could not resolve proxy"* | *"not resolve hostname"* | *"Name or service not known"* | *"nodename nor servname"*)
	echo "dns: the name of the host in $shown is not known here"
	;;
*"Authentication failed"* | *"could not read Username"* | *"could not read Password"* | *"Permission denied ("* | *"Repository not found"* | *"' not found"*)
	echo "auth: $shown answers, but shows nothing without credentials"
	exit 0
	;;
*" timed out"* | *" too slow"*)
	echo "timeout: $shown does not answer"
	;;
*"SSL: "* | *"SSL certificate"* | *"certificate verif"*" failed"* | *"SSL routines"* | *"TLS connect"* | *"SSL connect"* | *"TLS packet"*)
	echo "tls: no trusted connection to $shown; check the clock, the proxy and the certificates"
	;;
*"Connection refused"* | *" unreachable"* | *"Failed to connect"* | *"ouldn't connect"* | *"Connection reset"* | *"Connection closed"* | *"from proxy after CONNECT"* | *"CONNECT tunnel failed"*)
	echo "network: no connection to $shown"
	;;
*)
	# git may repeat the URL with its password: the last line only, and without
	# any user part.
	last=$(printf '%s\n' "$said" | tail -n 1 | sed 's#\(://\)[^/]*@#\1#g')
	printf 'failed: %s\n' "$last"
	;;
esac
exit 1
