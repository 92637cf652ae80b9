# Works with GNU make 3.81 and newer. Recipes `exec`, so that Ctrl-C and SIGTERM reach node itself.
.DEFAULT_GOAL := help
.PHONY: help run stand-ins watch test check check-types check-console check-rules start api worker migrate rollback cell cells move-business business sender ad-token operator-flag app-key session-token revoke-key webhooks-retry rebuild-report job-campaigns job-inactivity console client client-types bench faults restarts released fuzz overload build clean fmt

BIN := node_modules/.bin
MODULES := node_modules/.package-lock.json
BUILT := dist/.built
CONSOLE := console/dist/.built
TSX := node --import tsx
# MB of the young generation, of which V8 keeps three. Room for what a few hundred requests leave behind: the garbage
# collector then copies and promotes less of what lives. A worker fills whatever it gets with a large campaign.
#
# Pretenuring takes what survives a few collections at the start for long-lived, and then allocates it outside the young
# generation: until a full collection, everything it refers to survives, too. In one start of three, lists of templates
# then cost a quarter more CPU (0.93 against 0.73 ms).
YOUNG := --no-allocation-site-pretenuring
ANSWERING := --max-semi-space-size=64 $(YOUNG)
WORKING := --max-semi-space-size=16 $(YOUNG)

# An empty DATABASE_URL counts as none; then the commands for the command line use the database of `make run` or
# `make stand-ins`, and `make start`, `make api` and `make worker` serve it, without what production demands of settings.
ifeq ($(strip $(DATABASE_URL)),)
unexport DATABASE_URL
DEMO_ENV := $(if $(wildcard .run/env),--env-file=.run/env)
endif
PRODUCTION := $(if $(DEMO_ENV),,NODE_ENV=production)

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "make %-14s %s\n", $$1, $$2 }'

run: $(MODULES) $(CONSOLE) ## start everything here: database, demo data, stand-ins for the platforms, the service
	@exec $(TSX) src/demo/run.ts

stand-ins: $(MODULES) ## start only what an empty installation needs here: an empty database, stand-ins for the platforms
	@exec $(TSX) src/demo/stand-ins.ts

watch: $(MODULES) ## print what an agent's inbox hears of a running `make run`: make watch SINCE=0; AS=admin or AS=key hears all
	@exec $(TSX) src/demo/watch.ts

test: check $(BUILT) $(CONSOLE) ## types, lint, dependency rules and all tests, on a database of their own
	@TEST_BUILT=1 exec npm test --silent

check: $(MODULES) ## types, lint, format, dependency rules and the rules for the API document only
	@$(MAKE) --silent --jobs=2 check-types check-console check-rules

check-types:
	@$(BIN)/tsc --noEmit

check-console:
	@$(MAKE) --silent client-types
	@$(BIN)/tsc -p console

check-rules:
	@$(BIN)/biome check --error-on-warnings .
	@npm run --silent arch
	@said=$$(REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(BIN)/redocly lint recado 2>&1) || { echo "$$said"; exit 1; }

start: $(BUILT) $(CONSOLE) ## production: API and worker in one process; needs DATABASE_URL, or a running `make stand-ins`
	@ROLE=all $(PRODUCTION) exec node $(DEMO_ENV) $(ANSWERING) dist/src/main.js

api: $(BUILT) $(CONSOLE) ## production: a process that answers requests
	@ROLE=api $(PRODUCTION) exec node $(DEMO_ENV) $(ANSWERING) dist/src/main.js

worker: $(BUILT) ## production: a process that works off jobs
	@ROLE=worker $(PRODUCTION) exec node $(DEMO_ENV) $(WORKING) dist/src/main.js

migrate: $(MODULES) ## bring the schema of all cells up to date
	@exec node $(DEMO_ENV) --import tsx src/cli/migrate.ts

rollback: $(MODULES) ## undo the first cell's last batch of migrations, in all cells
	@exec node $(DEMO_ENV) --import tsx src/cli/rollback.ts

cell: $(MODULES) ## make the schema and the tables of a cell that CELLS names: make cell NAME=c2
	@exec node $(DEMO_ENV) --import tsx src/cli/cell.ts

cells: $(MODULES) ## list the cells with their sizes, businesses and migrations that have not run
	@exec node $(DEMO_ENV) --import tsx src/cli/list-cells.ts

move-business: $(MODULES) ## move a business to another cell while the service runs: make move-business BUSINESS=7 TO=c2, or UNDO=1
	@exec node $(DEMO_ENV) --import tsx src/cli/move-business.ts

business: $(MODULES) ## make a business and its administrator: make business NAME='Mi negocio' ADMIN=ana@example.com
	@exec node $(DEMO_ENV) --import tsx src/cli/business.ts

sender: $(MODULES) ## give a business a number: PLATFORM_TOKEN=... make sender BUSINESS=1 PLATFORM_ID=.. ACCOUNT_ID=.. PHONE=..
	@exec node $(DEMO_ENV) --import tsx src/cli/sender.ts "$$BUSINESS"

ad-token: $(MODULES) ## give a business access to the ad platform: ADS_TOKEN=... make ad-token BUSINESS=1 ACCOUNT_ID=act_1
	@exec node $(DEMO_ENV) --import tsx src/cli/ad-token.ts "$$BUSINESS"

operator-flag: $(MODULES) ## set a flag that businesses cannot: make operator-flag BUSINESS=1 FLAG=media_quota_bytes VALUE=10000000000
	@exec node $(DEMO_ENV) --import tsx src/cli/operator-flag.ts "$$BUSINESS"

app-key: $(MODULES) ## print a new App Key once: make app-key BUSINESS=1
	@test -n "$$BUSINESS" || { echo 'Say whose: make app-key BUSINESS=1' >&2; exit 2; }
	@exec node $(DEMO_ENV) --import tsx src/cli/app-key.ts "$$BUSINESS"

# Every shell has a USER of its own: only one given to make counts.
session-token: $(MODULES) ## print a new session token once: make session-token USER=2 [BUSINESS=1]
	@test '$(origin USER)' = 'command line' || { echo 'Say whose: make session-token USER=2' >&2; exit 2; }
	@exec node $(DEMO_ENV) --import tsx src/cli/session-token.ts "$$USER"

revoke-key: $(MODULES) ## revoke App Keys: make revoke-key KEY=rk_..., or BUSINESS=1 LABEL=crm
	@exec node $(DEMO_ENV) --import tsx src/cli/revoke-key.ts

webhooks-retry: $(MODULES) ## put platform webhooks that were given up back into the queue
	@exec node $(DEMO_ENV) --import tsx src/cli/webhooks-retry.ts

rebuild-report: $(MODULES) ## count the figures of a business's reports again from its records: make rebuild-report BUSINESS=1
	@test -n "$$BUSINESS" || { echo 'Say whose: make rebuild-report BUSINESS=1' >&2; exit 2; }
	@exec node $(DEMO_ENV) --import tsx src/cli/rebuild-report.ts "$$BUSINESS"

job-campaigns: $(MODULES) ## send all due messages of campaigns, print progress, then end
	@exec node $(DEMO_ENV) --import tsx src/cli/job-campaigns.ts

job-inactivity: $(MODULES) ## cancel the orders whose customers fell silent, to the end, and say how many
	@exec node $(DEMO_ENV) --import tsx src/cli/job-inactivity.ts

console: $(CONSOLE) ## build the web application that `make run` and `make start` serve under /console/

client: client-types ## make the TypeScript client in client/ from the documents of the API, ready for npm pack
	@rm -rf client/dist
	@$(BIN)/tsc -p client

bench: $(MODULES) ## measure the hot paths against their bare limits: make bench, or make bench BENCH=list-templates
	@exec node --expose-gc --import tsx test/bench/main.ts $(BENCH)

faults: $(BUILT) ## kill, freeze and cut off processes while they work, and count what is lost or sent twice
	@TEST_BUILT=1 exec $(TSX) test/faults/main.ts

restarts: $(MODULES) ## replace each process behind haproxy while clients ask, and count what fails, is lost or sent twice
	@exec $(TSX) test/restarts/main.ts

released: $(MODULES) ## before a release: record what this version asks of the schema, which the next one's migrations must leave
	@rm -f .run/statements && mkdir -p .run
	@RECORD_STATEMENTS=$(CURDIR)/.run/statements npm test --silent
	@$(TSX) test/postgres/record-released.ts "$$(node -p 'require("./package.json").version')" .run/statements

fuzz: $(MODULES) ## ask everything the schemas allow and more, and check each answer: make fuzz SEED=1 SECONDS=120 ROUTE=getOrder
	@exec $(TSX) test/fuzz/main.ts "seed=$(SEED)" "seconds=$(SECONDS)" "runs=$(RUNS)" "route=$(ROUTE)"

overload: $(MODULES) ## measure what one client can do to the others: make overload, or make overload ROW=sign-ins
	@exec $(TSX) test/overload/main.ts $(ROW)

# What the client and the console know of the API, from its documents as the code has them now.
client-types: $(MODULES)
	@mkdir -p .run
	@$(TSX) src/cli/document.ts openapi >.run/openapi.json
	@$(TSX) src/cli/document.ts asyncapi >.run/asyncapi.json
	@$(TSX) client/generate.ts .run/openapi.json .run/asyncapi.json

build: $(BUILT) $(CONSOLE) ## compile for production

clean: ## stop the databases under .data/, remove .data/, .run/, what was built, and what a killed test run left in memory
	@if test -d .data; then \
	  { test -e $(BIN)/tsx || $(MAKE) --silent $(MODULES); } && $(TSX) src/fixtures/postgres/clean.ts .data; \
	fi
	@rm -rf .data .run dist console/dist
	@rm -rf /dev/shm/recado-tests-$$(printf %s "$(CURDIR)/" | sha256sum | cut -c1-12)*

fmt: $(MODULES) ## format, and fix what lint can fix
	@$(BIN)/biome check --write .

# Where npm was told not to run install scripts, esbuild's is made up for here; the database repairs itself.
$(MODULES): package-lock.json
	@echo 'Installing the packages that package-lock.json names ...'
	@npm ci --no-fund --no-audit --no-update-notifier --loglevel=error >/dev/null
	@$(TSX) --eval '' 2>/dev/null || npm rebuild --loglevel=error esbuild
	@touch $@

# Types are checked by `make check`; the builds leave them out.
$(BUILT): $(MODULES) tsconfig.json tsconfig.build.json $(shell find src migrations -name '*.ts' 2>/dev/null)
	@rm -rf dist
	@$(BIN)/tsc -p tsconfig.build.json --noCheck
	@touch $@

$(CONSOLE): $(MODULES) client/src/index.ts $(shell find console -type f -not -path 'console/dist/*' -not -path 'console/node_modules/*' 2>/dev/null)
	@echo 'Building the console ...'
	@cd console && ../$(BIN)/vite build --logLevel warn
	@touch $@
