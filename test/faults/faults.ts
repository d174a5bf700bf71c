export interface Fault {
  /** What then is wrong with the gateway, in the words of whoever meets it. */
  readonly name: string;
  readonly kind: 'money' | 'streams' | 'keys' | 'limits' | 'envelopes' | 'routing' | 'PostgreSQL' | 'processes' | 'pages';
  /** Below the root. */
  readonly file: string;
  /** A whole line of the file, which has it once; without its indentation. */
  readonly line: string;
  /** What stands there instead. */
  readonly fault: string;
  /** Each of them has to fail. */
  readonly specs: readonly string[];
  /** A regular expression of the names of the tests to run, where the others take long; absent: all. */
  readonly tests?: string;
  /** The npm script that runs the specs. */
  readonly command: 'test' | 'test:all';
}

/** The command is `test` where none is named. */
type Listed = Omit<Fault, 'kind' | 'command'> & Partial<Pick<Fault, 'command'>>;

const listed: Readonly<Record<Fault['kind'], readonly Listed[]>> = {
  money: [
    {
      name: 'a charge is rounded down',
      file: 'src/common/credits.ts',
      line: 'return (sumOfCharge(price, promptTokens, completionTokens, parts) + 999n) / 1000n;',
      fault: 'return sumOfCharge(price, promptTokens, completionTokens, parts) / 1000n;',
      specs: ['test/endings.e2e-spec.ts'],
    },
    {
      name: 'what is held stays held when the client leaves before the answer',
      file: 'src/inference/generation/generation.ts',
      line: "if (!this.#begun) return this.#cancel('client_left', this.#unpaid(this.#asked.find(({ ended }) => !ended)));",
      fault: 'if (!this.#begun) return;',
      specs: ['test/billing.e2e-spec.ts'],
    },
    {
      name: 'tokens from a cache cost as much as others of the prompt',
      file: 'src/common/prices/counted-parts.ts',
      line: 'cached_input: read - audioRead,',
      fault: 'cached_input: 0,',
      specs: ['src/common/prices/counted-parts.spec.ts'],
    },
    {
      name: 'an answer that its provider breaks off is charged',
      file: 'src/billing/hold/settle-charge.ts',
      line: 'const full = chargeable(settlement.outcome) ? charge(price, promptTokens, completionTokens, parts) : 0n;',
      fault: 'const full = charge(price, promptTokens, completionTokens, parts);',
      specs: ['src/billing/leases/lease-ledger.spec.ts'],
    },
    {
      name: 'an estimate is charged beyond what was held',
      file: 'src/billing/hold/settle-charge.ts',
      line: 'return { promptTokens, completionTokens, price, parts, due: settlement.estimated ? lesser(full, hold) : full };',
      fault: 'return { promptTokens, completionTokens, price, parts, due: full };',
      specs: ['src/billing/hold/settle-charge.spec.ts'],
    },
    {
      name: 'what is held pays for one choice of several',
      file: 'src/billing/hold/worst-case.ts',
      line: 'return charge(ceiling, promptTokens, BigInt(maxTokens) * BigInt(choices)) + fixed;',
      fault: 'return charge(ceiling, promptTokens, BigInt(maxTokens)) + fixed;',
      specs: ['src/billing/hold/settle-charge.spec.ts'],
    },
    {
      name: 'more is held than there is',
      file: 'src/billing/hold/purse.ts',
      line: 'if (amount > purse.free) return false;',
      fault: '',
      specs: ['src/billing/leases/lease-ledger.spec.ts'],
    },
    {
      name: 'an answer costs the price of the first offer, whichever one answers',
      file: 'src/inference/generation/generation.ts',
      line: 'const price = last ? this.#meter.price : priceOf(route);',
      fault: 'const price = priceOf(this.admitted.plan.routes[0]);',
      specs: ['src/inference/generation/generation.spec.ts'],
    },
    {
      name: 'an idempotency key answers another body with the first answer',
      file: 'src/billing/idempotency-store.ts',
      line: "if (row.fingerprint !== request.fingerprint) return { kind: 'other_request' };",
      fault: '',
      specs: ['src/billing/idempotency-store.spec.ts'],
    },
    {
      name: 'an idempotency key is free again after a request that was charged',
      file: 'src/inference/idempotency/idempotency.service.ts',
      line: "if (outcome === 'completed' || (outcome && chargeable(outcome as Outcome) && usage?.total_tokens)) return;",
      fault: '',
      specs: ['test/idempotency.e2e-spec.ts'],
    },
    {
      name: 'a vendor decides how many searches are paid',
      file: 'src/inference/planning/hosted-calls.ts',
      line: 'if (!(searches + others > most)) return usage;',
      fault: 'if (most > 0) return usage;',
      specs: ['test/responses-native.e2e-spec.ts'],
      tests: 'hosted tools',
    },
  ],
  streams: [
    {
      name: 'a truncated stream ends with [DONE]',
      file: 'src/inference/attempts/upstream-meter.ts',
      line: "if (ended < this.request.n) throw new ProviderError('bad_response', 'the answer ended without a finish_reason for every choice');",
      fault: '',
      specs: ['src/inference/attempts/upstream-meter.spec.ts'],
    },
    {
      name: 'a stream that fails says nothing of its error',
      file: 'src/http/answers/event-stream.ts',
      line: 'this.#end(this.format.failed(error));',
      fault: "this.#end(asByteText(''));",
      specs: ['src/http/answers/answer.interceptor.spec.ts'],
    },
    {
      name: 'a stream that fails ends with [DONE]',
      file: 'src/http/answers/error-writer.ts',
      line: 'if (request.eventStream) request.eventStream.fail(envelope.body);',
      fault: 'if (request.eventStream) request.eventStream.done();',
      specs: ['src/http/answers/answer.interceptor.spec.ts'],
    },
    {
      name: 'a complete stream ends without [DONE]',
      file: 'src/http/answers/event-stream.ts',
      line: 'this.#end(this.format.done);',
      fault: "this.#end(asByteText(''));",
      specs: ['src/http/answers/answer.interceptor.spec.ts'],
    },
    {
      name: 'a stream has its usage although nobody asked for it',
      file: 'src/inference/chunks/event-serializer.ts',
      line: 'return this.includeUsage ? asByteText(`${this.#head}"choices":[],"usage":${byteText(JSON.stringify(usage))}}`) : undefined;',
      fault: 'return asByteText(`${this.#head}"choices":[],"usage":${byteText(JSON.stringify(usage))}}`);',
      specs: ['src/inference/chunks/event-serializer.spec.ts'],
    },
    {
      name: 'the first event of a choice has no role',
      file: 'src/chat/chat-events.ts',
      line: "delta: first ? { role: 'assistant', ...delta } : (delta ?? {}),",
      fault: 'delta: delta ?? {},',
      specs: ['src/chat/chat-events.spec.ts'],
    },
    {
      name: 'a provider goes on generating for a client that has left',
      file: 'src/inference/routing/fallback.ts',
      line: "for (const attempt of this.attempts) attempt.cancel('client_left');",
      fault: '',
      specs: ['src/inference/routing/fallback.spec.ts'],
    },
    {
      name: 'a provider is not paused while its client is behind',
      file: 'src/http/answers/event-stream.ts',
      line: 'if (!this.#write(this.#take())) this.flow.pause();',
      fault: 'this.#write(this.#take());',
      specs: ['src/http/answers/event-stream.spec.ts'],
    },
    {
      name: 'a stream is silent for as long as its provider is',
      file: 'src/http/answers/event-stream.ts',
      line: '} else if (silence >= this.limits.heartbeat) this.#append(this.format.heartbeat ?? KEEP_ALIVE);',
      fault: '}',
      specs: ['src/http/answers/event-stream.spec.ts'],
    },
  ],
  keys: [
    {
      name: 'a revoked key is accepted',
      file: 'src/auth/key-directory.ts',
      line: 'if (row.revoked_at === null && (row.project_id === null || this.#projects.has(row.project_id))) {',
      fault: 'if (row.project_id === null || this.#projects.has(row.project_id)) {',
      specs: ['src/auth/api-keys.spec.ts'],
    },
    {
      name: 'an expired key is accepted',
      file: 'src/auth/key-directory.ts',
      line: "return { digest: Buffer.from(digest, 'latin1'), principal, expiresAt: expires_at === null ? Infinity : Number(expires_at) };",
      fault: "return { digest: Buffer.from(digest, 'latin1'), principal, expiresAt: Infinity };",
      specs: ['src/auth/api-keys.spec.ts'],
    },
    {
      name: 'the list of keys shows them whole',
      file: 'src/auth/api-key-format.ts',
      line: 'return `${secret.slice(0, 4 - SECRET_LENGTH)}...${secret.slice(-4)}`;',
      fault: 'return secret;',
      specs: ['src/auth/api-keys.spec.ts'],
    },
    {
      name: 'a test key reaches a paid provider',
      file: 'src/inference/test-mode.ts',
      line: "return environment === 'test' && !keys.test_keys_reach_providers;",
      fault: 'return false;',
      specs: ['test/auth.e2e-spec.ts'],
    },
    {
      name: 'a key is answered by a model that is denied to it',
      file: 'src/common/model-access.ts',
      line: 'return this.#lists.every(({ allow, deny }) => (allow?.has(name) ?? true) && !deny?.has(name));',
      fault: 'return this.#lists.every(({ allow }) => allow?.has(name) ?? true);',
      specs: ['src/auth/rules/rules.spec.ts'],
    },
    {
      name: 'a key is used from an address that its rules do not allow',
      file: 'src/auth/api-key.guard.ts',
      line: "if (allowsAddress && !allowsAddress(this.clients.of(request) ?? ''))",
      fault: 'if (allowsAddress && allowsAddress === undefined)',
      specs: ['test/key-rules.e2e-spec.ts'],
    },
    {
      name: 'the rules of a project do not bind its keys',
      file: 'src/auth/key-directory.ts',
      line: "if (project_id !== null) add('project', project_id, this.#projects.get(project_id));",
      fault: '',
      specs: ['test/key-rules.e2e-spec.ts'],
    },
    {
      name: 'a member of one account administers another',
      file: 'src/auth/administration/admin.guard.ts',
      line: 'if (accountId !== undefined && account !== undefined && account !== accountId) throw noAccount(account);',
      fault: '',
      specs: ['src/auth/administration/admin.guard.spec.ts'],
    },
  ],
  envelopes: [
    {
      name: 'a member named __proto__ is no member',
      file: 'src/wire/own-members.ts',
      line: "if (name !== '__proto__') (holder as Record<string | number, unknown>)[name] = value;",
      fault: 'if (holder) (holder as Record<string | number, unknown>)[name] = value;',
      specs: ['src/wire/own-members.spec.ts', 'test/member-names.e2e-spec.ts'],
    },
    {
      name: 'a wrong method is answered as a wrong address',
      file: 'src/http/server/request-gate.ts',
      line: 'if (methods.length > 0) {',
      fault: 'if (methods.length > 99) {',
      specs: ['test/errors.e2e-spec.ts'],
    },
    {
      name: 'an error has no code',
      file: 'src/wire/error.ts',
      line: 'return { error: { message, type: errorCodes[code].type, code } };',
      fault: 'return { error: { message, type: errorCodes[code].type } } as ErrorBody;',
      specs: ['test/errors.e2e-spec.ts'],
    },
    {
      name: 'a body that is too large is an error of the gateway',
      file: 'src/http/answers/error-envelope.ts',
      line: "FST_ERR_CTP_BODY_TOO_LARGE: ['request_too_large', 'The request body is too large.'],",
      fault: "FST_ERR_CTP_BODY_TOO_LARGE: ['internal_error', 'The request body is too large.'],",
      specs: ['test/errors.e2e-spec.ts'],
    },
    {
      name: 'a model that is not there is a bad request',
      file: 'src/wire/error.ts',
      line: "model_not_found: { status: 404, type: 'invalid_request_error' },",
      fault: "model_not_found: { status: 400, type: 'invalid_request_error' },",
      specs: ['test/errors.e2e-spec.ts'],
    },
    {
      name: 'an error of the gateway shows its insides',
      file: 'src/http/answers/error-envelope.ts',
      line: 'return ofFastify(error) ?? internal;',
      fault: "return ofFastify(error) ?? envelope('internal_error', String(error));",
      specs: ['test/errors.e2e-spec.ts'],
    },
    {
      name: 'a temperature beyond 2 is accepted',
      file: 'src/chat/create-chat-completion.dto.ts',
      line: '@OptionalNumber(0, 2)',
      fault: '@OptionalNumber(0, 20)',
      specs: ['src/chat/create-chat-completion.dto.spec.ts'],
    },
    {
      name: 'best_of answers with the other end of its ranking',
      file: 'src/completions/best-of.ts',
      line: "const sign = ranking === 'lowest' ? 1 : -1;",
      fault: "const sign = ranking === 'lowest' ? -1 : 1;",
      specs: ['src/completions/best-of.spec.ts'],
    },
  ],
  limits: [
    {
      name: 'the rules of all accounts have no limit together',
      file: 'src/auth/account-space.ts',
      line: 'if (rules_bytes > 0 && Number(bytes) > SHARE * (rules_total - (await bytesOfAll(trx, now))))',
      fault: 'if (rules_bytes < 0)',
      specs: ['test/kept-bytes.e2e-spec.ts'],
    },
    {
      name: 'an answer that a client does not read is in no budget',
      file: 'src/http/answers/open-streams.ts',
      line: 'for (const { bytes } of unread) waiting += bytes;',
      fault: '',
      specs: ['test/gathered-output.e2e-spec.ts'],
      tests: 'clients do not read',
    },
    {
      name: 'the places of free requests are not given back',
      file: 'src/limits/free-requests.guard.ts',
      line: 'open.onEnd(({ request }) => this.#admissions.get(request)?.settle(0));',
      fault: 'open.onEnd(() => undefined);',
      specs: ['test/limits.e2e-spec.ts'],
      tests: 'in the background',
    },
    {
      name: 'a rate lets in one request more',
      file: 'src/common/gcra.ts',
      line: 'return Math.min(units * PARTS, this.#capacity) <= this.#level;',
      fault: 'return Math.min(units * PARTS, this.#capacity) <= this.#level + PARTS;',
      specs: ['src/common/gcra.spec.ts'],
    },
    {
      name: 'one request more is answered at the same time',
      file: 'src/limits/memory-pools.ts',
      line: 'return this.#used < this.limit;',
      fault: 'return this.#used <= this.limit;',
      specs: ['src/limits/admission.spec.ts'],
    },
    {
      name: 'tokens that a request has not used stay taken from its limit',
      file: 'src/limits/admission.ts',
      line: "if (pool.kind === 'tokens') pool.giveBack(this.tokens - used, now);",
      fault: "if (pool.kind === 'tokens') pool.giveBack(0, now);",
      specs: ['src/limits/admission.spec.ts'],
    },
    {
      name: 'budgets are not asked',
      file: 'src/auth/rules/principal-rules.ts',
      line: 'budgets: sources.flatMap((source) => budgetsOf(source, environment)),',
      fault: 'budgets: [],',
      specs: ['src/auth/rules/rules.spec.ts'],
    },
    {
      name: 'the limits of an account do not bind its keys',
      file: 'src/auth/rules/principal-rules.ts',
      line: 'limits: sources.flatMap((source) => limitsOf(source, environment)),',
      fault: 'limits: sources.slice(0, 1).flatMap((source) => limitsOf(source, environment)),',
      specs: ['src/auth/rules/rules.spec.ts'],
    },
    {
      name: 'a refusal for a limit has no Retry-After',
      file: 'src/limits/limit-refusal.ts',
      line: "return new ApiError('rate_limit_exceeded', message, { retryAfter });",
      fault: "return new ApiError('rate_limit_exceeded', message);",
      specs: ['test/limits.e2e-spec.ts'],
    },
  ],
  routing: [
    {
      name: 'another offer is asked after the first chunk',
      file: 'src/inference/routing/fallback.ts',
      line: 'if (this.#answering) return this.#fail(error);',
      fault: '',
      specs: ['src/inference/routing/fallback.spec.ts'],
    },
    {
      name: 'a wrong request is sent to the next offer',
      file: 'src/inference/attempts/provider-error.mapping.ts',
      line: "invalid_request: { code: 'invalid_request', next: false, caller: true },",
      fault: "invalid_request: { code: 'invalid_request', next: true, caller: true },",
      specs: ['src/inference/routing/fallback.spec.ts'],
    },
    {
      name: 'no other offer is asked where one cannot be reached',
      file: 'src/inference/attempts/provider-error.mapping.ts',
      line: "unreachable: { code: 'upstream_error', message: 'The provider of the model could not be reached.', next: true },",
      fault: "unreachable: { code: 'upstream_error', message: 'The provider of the model could not be reached.', next: false },",
      specs: ['src/inference/routing/fallback.spec.ts'],
    },
    {
      name: 'a circuit never opens',
      file: 'src/inference/routing/offer-circuit.ts',
      line: "if (this.#evidence.convincing) this.#open('failures', this.#pauseMs, retryAfterMs);",
      fault: '',
      specs: ['src/inference/routing/offer-circuit.spec.ts'],
    },
    {
      name: 'weights are ignored',
      file: 'src/inference/routing/strategy.ts',
      line: '.map((candidate) => ({ candidate, ticket: Math.log(1 - random()) / candidate.offer.weight }))',
      fault: '.map((candidate) => ({ candidate, ticket: Math.log(1 - random()) }))',
      specs: ['src/inference/routing/strategy.spec.ts'],
    },
    {
      name: 'the cheapest offer is asked last',
      file: 'src/inference/routing/strategy.ts',
      line: '.sort((a, b) => (a.cost < b.cost ? -1 : Number(a.cost > b.cost)))',
      fault: '.sort((a, b) => (a.cost > b.cost ? -1 : Number(a.cost < b.cost)))',
      specs: ['src/inference/routing/strategy.spec.ts'],
    },
    {
      name: 'retries are made without end where all providers fail',
      file: 'src/inference/routing/retry-budget.ts',
      line: 'this.#tokens -= 1;',
      fault: '',
      specs: ['src/inference/routing/fallback.spec.ts'],
    },
  ],
  PostgreSQL: [
    {
      name: 'two gateways lend the same credits of an account',
      file: 'src/database/database.ts',
      line: "return this.engine === 'postgres' ? query.forUpdate() : query;",
      fault: 'return query;',
      specs: ['src/billing/leases/lease-store.spec.ts'],
      command: 'test:all',
    },
    {
      name: 'each gateway has all places of a limit for itself',
      file: 'src/limits/postgres-limits.ts',
      line: 'const placesGranted = sql`greatest(excluded.used, least(excluded.wanted, excluded.places - ${others}))`;',
      fault: 'const placesGranted = sql`greatest(excluded.used, least(excluded.wanted, excluded.places))`;',
      specs: ['src/limits/limits.postgres.spec.ts'],
      command: 'test:all',
    },
    {
      name: 'a gateway does not hear what another one has changed',
      file: 'src/database/postgres-listener.ts',
      line: 'void (topic ? this.changes.heard(topic, BigInt(version!)) : this.changes.look());',
      fault: 'void (topic ?? version);',
      specs: ['src/database/changes.spec.ts'],
      command: 'test:all',
    },
  ],
  processes: [
    {
      name: 'a gateway ends without finishing what it answers',
      file: 'src/process/signals.ts',
      line: "process.on('SIGTERM', onSignal).on('SIGINT', onSignal);",
      fault: "process.on('SIGINT', onSignal);",
      specs: ['test/long/start.spec.ts'],
      tests: 'SIGTERM a second time',
      command: 'test:all',
    },
    {
      name: 'two gateways run on the same folder',
      file: 'src/database/open-sqlite.ts',
      line: "if (!lock) throw new StoreError('in_use', `Another gateway is running on the store in ${dataDir}`);",
      fault: '',
      specs: ['src/database/database.spec.ts'],
    },
    {
      name: 'what a worker has counted is lost when it ends',
      file: 'src/process/workers/joint-metrics.ts',
      line: 'const sums = (this.#last.get(id) ?? []).filter(({ type }) => SUMS.has(type));',
      fault: 'const sums: Figures = [];',
      specs: ['src/process/workers/joint-metrics.spec.ts'],
    },
  ],
  pages: [
    {
      name: 'a page may not use its own fonts',
      file: 'src/dashboard/dashboard.controller.ts',
      line: `"font-src 'self'",`,
      fault: `"font-src 'none'",`,
      specs: ['test/long/smoke.spec.ts'],
      command: 'test:all',
    },
    {
      name: 'a page gives clients the address of the dashboard for that of the API',
      file: 'src/dashboard/web/api/base-url.ts',
      line: 'if (/^https?:/.test(api)) return `${api}/v1`;',
      fault: '',
      specs: ['test/long/dashboard-account-keys.spec.ts'],
      tests: 'has snippets with the address of the API',
      command: 'test:all',
    },
  ],
};

export const faults: readonly Fault[] = Object.entries(listed).flatMap(([kind, some]) =>
  some.map((one): Fault => ({ command: 'test', ...one, kind: kind as Fault['kind'] })),
);
