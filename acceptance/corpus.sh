# Sourced by the scripts beside it: builds the program and sees to KNACK_CORPUS,
# unpacking the shared corpus or, where there is none, generating one.
make -s build
if [ -z "${KNACK_CORPUS:-}" ]; then
	corpus_dir=$(mktemp -d)
	trap 'rm -rf "$corpus_dir"' EXIT
	if [ -f ../shared/corpus/skills-dev.tar.gz ]; then
		tar -C "$corpus_dir" -xzf ../shared/corpus/skills-dev.tar.gz
		KNACK_CORPUS=$corpus_dir/dev
	else
		echo "no corpus here: measuring on a generated one" >&2
		go run ./bench -generate 2500 -into "$corpus_dir/generated"
		KNACK_CORPUS=$corpus_dir/generated
	fi
	export KNACK_CORPUS
fi
