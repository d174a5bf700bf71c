import type { ChatCompletionChunk } from '../src/wire/chat-completion.js';
import { CatalogueService } from '../src/catalogue/catalogue.service.js';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { RouterService } from '../src/inference/routing/router.service.js';
import { StreamedMessage } from '../src/messages/testing/streamed-message.js';
import type { MessageStreamEvent } from '../src/wire/anthropic-message.js';
import type { Completion } from '../src/wire/completion.js';
import { LoopbackUpstream, type RecordedRequest, type Reply } from '../src/providers/testing/loopback-upstream.js';
import { blocksOf, eventsOf, payloadsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { ResponseStreamMachine } from './support/response-stream.js';
import { until } from './support/until.js';
import { streamedResponse, text as itemOf } from './support/vendor-response.js';

const prompt = 'Once upon a time';
const pieces = ['there ', 'was an ', 'old ', 'sig', 'nal', 'man, ', 'who never ', 'slept.'];
const answer = pieces.join('');
/** What every provider here says of the prompt alone. */
const promptTokens = 5;

const sse = (events: object[], more: Partial<Reply> = {}): Reply => ({
  headers: { 'content-type': 'text/event-stream' },
  body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
  ...more,
});
const done = 'data: [DONE]\n\n';

interface Asked {
  prompt?: string;
  messages?: { role: string; content: string }[];
  max_tokens?: number;
}

const bodyOf = ({ body }: RecordedRequest) => JSON.parse(body) as Asked;

/** A model that always says the same: what of it has not been said yet, piece by piece, as far as max_tokens allow. */
function says(request: RecordedRequest, most = Infinity, ending: Partial<Reply> = {}): Reply {
  const body = bodyOf(request);
  const chat = body.messages !== undefined;
  const last = body.messages?.at(-1);
  const said = chat ? (last!.role === 'assistant' ? last!.content : '') : body.prompt!.slice(prompt.length);
  if (!answer.startsWith(said)) throw new Error(`cannot go on from ${said}`);
  let from = 0;
  for (let length = 0; length < said.length; from++) length += pieces[from]!.length;
  const left = pieces.slice(from);
  const allowed = left.slice(0, Math.min(body.max_tokens ?? Infinity, most));
  const choice = (text: string, finish_reason: string | null) =>
    chat ? { index: 0, delta: text ? { content: text } : {}, finish_reason } : { index: 0, text, finish_reason };
  const events: object[] = allowed.map((text) => ({ choices: [choice(text, null)] }));
  if (chat) events.unshift({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
  if (most !== Infinity) return sse(events, ending);
  events.push({ choices: [choice('', allowed.length < left.length ? 'length' : 'stop')] });
  const prompt_tokens = promptTokens + from;
  events.push({ choices: [], usage: { prompt_tokens, completion_tokens: allowed.length, total_tokens: prompt_tokens + allowed.length } });
  const whole = sse(events);
  return { ...whole, body: `${String(whole.body)}${done}` };
}

/** What a hundred cuts in a second would make of circuits and retry budgets. */
function forget(router: RouterService, catalogue: CatalogueService, account: string): void {
  for (const offer of catalogue.find('m').offers) {
    router.healthOf(offer).circuit.succeeded(account, false);
    for (let n = 0; n < 50; n++) router.budgetOf(offer.provider.id).firstAttempt(account);
  }
}

describe('a stream that its provider cuts', () => {
  const clock = ManualClock.running();
  const upstreams: LoopbackUpstream[] = [];
  let first: LoopbackUpstream;
  let second: LoopbackUpstream;
  let third: LoopbackUpstream;
  let gateway: Gateway;
  let plain: Gateway;

  const settings = (resume: boolean) => {
    const facts = { context_length: 10_000, max_tokens: 1_000, capabilities: { completion: true } };
    const provider = (upstream: LoopbackUpstream, prompt_: number, completion: number, continues?: boolean) => ({
      base_url: `${upstream.origin}/v1`,
      options: { responses: true },
      models: {
        m: { ...facts, continues, pricing: { prompt: prompt_, completion } },
        tiered: {
          ...facts,
          continues,
          pricing: { prompt: 1, completion: 3, service_tiers: { priority: { completion: 6 } } },
        },
        parts: { ...facts, continues, pricing: { prompt: prompt_, completion, request: 1_000 * prompt_, cached_input: 0.1 } },
      },
    });
    return {
      providers: { first: provider(first, 1, 20), second: provider(second, 3, 10, true), third: provider(third, 2, 30) },
      routing: { resume, retries: 0 },
    };
  };

  beforeAll(async () => {
    for (let n = 0; n < 3; n++) upstreams.push(await LoopbackUpstream.start());
    [first, second, third] = upstreams as [LoopbackUpstream, LoopbackUpstream, LoopbackUpstream];
    gateway = await Gateway.start(settings(true), '1000000', clock);
    plain = await Gateway.start(settings(false), '1000000');
  });
  beforeEach(() => {
    second.replies((request) => says(request));
    third.replies((request) => says(request));
    for (const { running, customer } of [gateway, plain])
      forget(running.app.get(RouterService), running.app.get(CatalogueService), customer.accountId);
  });
  afterAll(async () => {
    await gateway.close();
    await plain.close();
    await Promise.all(upstreams.map((upstream) => upstream.stop()));
  });

  /** @param silence the text behind which the provider says nothing more */
  const ask = async (body: object = {}, on = gateway, silence?: string) => {
    const customer = await on.newCustomer('1000000');
    const stream = await on.stream('completions', { model: 'm', prompt, max_tokens: 40, ...body }, { key: customer.liveKey });
    if (silence !== undefined) {
      await until(() => stream.received.includes(silence), silence);
      // Silence ends a call after one to two idle timeouts.
      await clock.advance(2 * on.running.config.routing.idle_timeout);
    }
    return { text: await stream.text(), customer, headers: stream.headers };
  };
  const choice = (text: string, finish_reason: string | null) => ({ choices: [{ index: 0, text, finish_reason }] });
  const textOf = (events: Completion[]) => events.map(({ choices }) => choices[0]?.text ?? '').join('');

  describe.each<[string, Partial<Reply>]>([
    ['by a reset', { ending: 'reset' }],
    ['by an end that is none', { ending: 'end' }],
    ['by silence', { ending: 'stall' }],
  ])('%s', (_, ending) => {
    it.each(pieces.map((__, piece) => [piece + 1]))('behind piece %i goes on elsewhere, in one answer at one price', async (cut) => {
      first.replies((request) => says(request, cut, ending));
      const { text, customer } = await ask({}, gateway, ending.ending === 'stall' ? pieces[cut - 1] : undefined);
      const events = eventsOf<Completion>(text);
      expect(textOf(events)).toBe(answer);
      expect(new Set(events.map(({ id, model, created }) => `${id} ${model} ${created}`)).size).toBe(1);
      expect(events.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason)).filter(Boolean)).toEqual(['stop']);
      expect(second.requests.map(bodyOf)).toMatchObject([{ prompt: prompt + pieces.slice(0, cut).join(''), max_tokens: 40 - cut }]);
      expect(third.requests).toHaveLength(0);
      const [usage] = await gateway.usage(1, customer);
      expect(usage).toMatchObject({ outcome: 'completed', estimated: 1n, provider: 'second' });
      expect([usage!.price_prompt, usage!.price_completion]).toEqual([1_000_000_000n, 10_000_000_000n]);
      expect([usage!.prompt_tokens, usage!.completion_tokens]).toEqual([BigInt(promptTokens), BigInt(pieces.length)]);
      expect(usage!.amount).toBe(BigInt(promptTokens) * 1_000_000n + BigInt(pieces.length) * 10_000_000n);
      expect(usage!.amount).toBeLessThanOrEqual(usage!.hold);
    });
  });

  it('charges the lower price of each component, the request among them', async () => {
    first.replies((request) => says(request, 3, { ending: 'reset' }));
    const { customer } = await ask({ model: 'parts' });
    const [usage] = await gateway.usage(1, customer);
    expect(usage!.amount).toBe(1_000_000_000n + BigInt(promptTokens) * 1_000_000n + BigInt(pieces.length) * 10_000_000n);
    expect(usage!.amount).toBeLessThanOrEqual(usage!.hold);
    expect(JSON.parse(usage!.price_components!)).toMatchObject({ cached_input: '100000000', request: '1000000000000' });
  });

  it.each([
    ['default', 'default', 3_000_000n],
    ['priority', 'priority', 6_000_000n],
    ['priority', 'default', 3_000_000n],
  ])('charges the lower of the service tiers that are reported: %s, %s', async (before, after, completion) => {
    const at = (tier: string, { body, ...rest }: Reply) => ({
      ...rest,
      body: String(body).replaceAll('data: {', `data: {"service_tier":"${tier}",`),
    });
    first.replies((request) => at(before, says(request, 3, { ending: 'reset' })));
    second.replies((request) => at(after, says(request)));
    const { text, customer } = await ask({ model: 'tiered', service_tier: 'priority', stream_options: { include_usage: true } });
    expect(eventsOf<Completion>(text).at(-1)!.usage).toMatchObject({ service_tier: after });
    const [usage] = await gateway.usage(1, customer);
    expect(usage!.amount).toBe(usage!.prompt_tokens * 1_000_000n + BigInt(pieces.length) * completion);
  });

  it('tells the usage of the whole where the client asks for it', async () => {
    first.replies((request) => says(request, 3, { ending: 'reset' }));
    const { text } = await ask({ stream_options: { include_usage: true } });
    expect(eventsOf<Completion>(text).at(-1)!.usage).toEqual({ prompt_tokens: 5, completion_tokens: 8, total_tokens: 13 });
  });

  it('goes on as often as there are offers', async () => {
    first.replies((request) => says(request, 2, { ending: 'reset' }));
    second.replies((request) => says(request, 3, { ending: 'reset' }));
    const { text, customer } = await ask();
    expect(textOf(eventsOf(text))).toBe(answer);
    expect(third.requests.map(bodyOf)).toMatchObject([{ prompt: prompt + pieces.slice(0, 5).join(''), max_tokens: 35 }]);
    expect((await gateway.usage(1, customer))[0]).toMatchObject({
      provider: 'third',
      price_prompt: 1_000_000_000n,
      price_completion: 10_000_000_000n,
    });
  });

  it('passes over an offer that does not answer', async () => {
    first.replies((request) => says(request, 2, { ending: 'reset' }));
    second.replies({ status: 503 });
    const { text } = await ask();
    expect(textOf(eventsOf(text))).toBe(answer);
  });

  it('ends where as many tokens have come as were asked for', async () => {
    first.replies((request) => says(request, 4, { ending: 'reset' }));
    const { text, customer } = await ask({ max_tokens: 4 });
    const events = eventsOf<Completion>(text);
    expect(textOf(events)).toBe(pieces.slice(0, 4).join(''));
    expect(events.at(-1)!.choices[0]!.finish_reason).toBe('length');
    expect(second.requests).toHaveLength(0);
    expect((await gateway.usage(1, customer))[0]).toMatchObject({ outcome: 'completed', completion_tokens: 4n });
  });

  it.each<Reply['ending']>(['reset', 'stall'])('asks nobody for more where the answer itself has ended (%s)', async (ending) => {
    first.replies(() => sse([...pieces.map((text) => choice(text, null)), choice('', 'stop')], { ending }));
    second.replies(() => sse([choice(' The end.', 'stop')]));
    const { text, customer } = await ask({}, gateway, ending === 'stall' ? pieces.at(-1) : undefined);
    expect(payloadsOf(text)).toContain('[DONE]');
    const events = eventsOf<Completion>(text);
    expect(textOf(events)).toBe(answer);
    expect(events.at(-1)!.choices[0]!.finish_reason).toBe('stop');
    expect(second.requests).toHaveLength(0);
    expect((await gateway.usage(1, customer))[0]).toMatchObject({ outcome: 'completed', provider: 'first', estimated: 1n });
  });

  describe('ends with an error and costs nothing', () => {
    const expectCut = async (body: object, cut = 3, on = gateway) => {
      first.replies((request) => says(request, cut, { ending: 'reset' }));
      const { text, customer } = await ask(body, on);
      const payloads = payloadsOf(text);
      expect(payloads).not.toContain('[DONE]');
      expect(JSON.parse(payloads.at(-1)!)).toMatchObject({ error: { code: 'upstream_error', type: 'api_error' } });
      expect((await on.usage(1, customer))[0]).toMatchObject({ outcome: 'provider_failed', amount: 0n });
    };

    it('where the operator has not allowed to go on', async () => {
      await expectCut({}, 3, plain);
      expect(second.requests).toHaveLength(0);
    });

    it('where text alone is not the answer', async () => {
      await expectCut({ echo: true });
      expect(second.requests).toHaveLength(0);
    });

    it('where the next words could complete a stop sequence', async () => {
      await expectCut({ stop: ['never', 'signpost'] }, 4);
      expect(second.requests).toHaveLength(0);
      first.replies((request) => says(request, 3, { ending: 'reset' }));
      expect(textOf(eventsOf((await ask({ stop: ['never', 'signpost'] })).text))).toBe(answer);
    });

    it('where nobody else answers; of that the client hears nothing', async () => {
      second.replies({ status: 429 });
      third.replies({ status: 400, body: '{"error":{"message":"too long"}}' });
      await expectCut({});
    });
  });

  it('costs what was delivered where the client leaves meanwhile', async () => {
    first.replies((request) => says(request, 3, { ending: 'reset' }));
    second.replies((request) => says(request, 2, { ending: 'stall' }));
    const customer = await gateway.newCustomer('1000000');
    const stream = await gateway.stream('completions', { model: 'm', prompt, max_tokens: 40 }, { key: customer.liveKey });
    await until(() => stream.received.includes('nal'), 'the second part');
    stream.leave();
    const [usage] = await gateway.usage(1, customer);
    expect(usage).toMatchObject({
      outcome: 'client_left',
      completion_tokens: 5n,
      price_prompt: 1_000_000_000n,
      price_completion: 10_000_000_000n,
    });
  });

  describe('in a chat', () => {
    const messages = [{ role: 'user', content: prompt }];
    const chat = (body: object = {}) => gateway.stream('chat/completions', { model: 'm', messages, ...body });

    it('goes on where an offer continues a message, and begins once', async () => {
      first.replies((request) => says(request, 3, { ending: 'reset' }));
      const stream = await chat();
      const events = eventsOf<ChatCompletionChunk>(await stream.text());
      const deltas = events.map(({ choices }) => choices[0]!.delta);
      expect(deltas.map(({ content }) => content ?? '').join('')).toBe(answer);
      expect(deltas.filter(({ role }) => role !== undefined)).toHaveLength(1);
      expect(second.requests.map(bodyOf)).toMatchObject([
        { messages: [...messages, { role: 'assistant', content: pieces.slice(0, 3).join('') }] },
      ]);
      expect(third.requests).toHaveLength(0);
    });

    it.each(['responses', 'messages'] as const)('goes on in what was begun, where the other offer reasons first: %s', async (path) => {
      const delta = (said: object, finish_reason: string | null = null) => ({ choices: [{ index: 0, delta: said, finish_reason }] });
      const whole = streamedResponse([itemOf(pieces[0]!)]);
      const half = { ...sse([]), body: whole.slice(0, whole.indexOf('event: response.content_part.done')), ending: 'reset' as const };
      first.replies(({ path: asked }) => (asked.endsWith('/responses') ? half : sse([delta({ content: pieces[0] })], { ending: 'reset' })));
      const rest = sse([delta({ reasoning_content: 'Hm.' }), delta({ content: pieces.slice(1).join('') }), delta({}, 'stop')]);
      second.replies({ ...rest, body: `${String(rest.body)}${done}` });
      const body = path === 'responses' ? { input: messages } : { messages, max_tokens: 40 };
      const said = await (await gateway.stream(path, { model: 'm', ...body })).text();
      if (path === 'responses')
        expect(ResponseStreamMachine.run(said).output).toMatchObject([
          { type: 'message', content: [{ type: 'output_text', text: answer }] },
        ]);
      else {
        const events = blocksOf(said).map((block) => JSON.parse(block.slice(block.indexOf('{'))) as MessageStreamEvent);
        expect(StreamedMessage.of(events).content).toEqual([{ type: 'text', text: answer, citations: null }]);
      }
    });

    it('ends with an error where none does, or more than text was asked for', async () => {
      second.replies({ status: 503 });
      first.replies((request) => says(request, 3, { ending: 'reset' }));
      expect(payloadsOf(await (await chat()).text())).not.toContain('[DONE]');
      expect(third.requests).toHaveLength(0);
      second.replies((request) => says(request));
      const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
      expect(payloadsOf(await (await chat({ tools })).text())).not.toContain('[DONE]');
      expect(second.requests).toHaveLength(0);
    });
  });
});
