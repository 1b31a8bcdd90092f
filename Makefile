# Knack. `make` builds; `make test` is what CI runs.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -s -w -X main.version=$(VERSION)
# The linter is run from its module, pinned, so that a fresh machine needs nothing.
LINT    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0
FUZZTIME ?= 20s
SOAKTIME ?= 10m
CASES    ?= 1000000

.PHONY: build run test test-all lint fuzz soak bench bench-select acceptance docs clean

build: ## build bin/knack
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/knack ./cmd/knack

run: build ## build it and talk to it; without a terminal, play a sample request
	@if [ -t 0 ] && [ -t 1 ]; then ./bin/knack chat; else ./bin/knack run --sample; fi

test: ## everything that must hold, with the race detector
	./scripts/suites test

test-all: ## test, and the slow suites and the other platforms
	./scripts/suites test-all

lint: ## the linters, at the version CI uses
	$(GO) run $(LINT) run ./...

fuzz: ## every fuzz target for FUZZTIME (20s), and every property of sessions for CASES (a million)
	./scripts/fuzz $(FUZZTIME)
	CASES=$(CASES) ./acceptance/sessions-properties

soak: ## every fuzz target for SOAKTIME (10m)
	./scripts/fuzz $(SOAKTIME)

bench: build ## costs as ratios against the floor, in one run
	$(GO) run ./bench -binary bin/knack

bench-select: ## how well and fast skills are selected: EVAL=a folder with corpus, metatool, bfcl
	$(GO) run ./bench -select $(EVAL)

acceptance: build ## what each capability promised, measured
	@for a in acceptance/*; do case $$a in *.md|*.sh|*/measure) ;; *) $$a || exit 1;; esac; done

docs: ## regenerate what is generated under docs/
	$(GO) test ./docs ./internal/cli -run Page -update

clean:
	rm -rf bin
