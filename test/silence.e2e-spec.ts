import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOpenAI } from '@langchain/openai';
import { type LanguageModel, streamText } from 'ai';
import OpenAI from 'openai';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { OpenStreams } from '../src/http/answers/open-streams.js';
import { OpenRequests } from '../src/http/server/open-requests.js';
import { RequestHistories } from '../src/observability/request-history.js';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import { chatFormat } from './formats/chat-format.js';
import { completionsFormat } from './formats/completions-format.js';
import type { Format } from './formats/format.js';
import { messagesFormat } from './formats/messages-format.js';
import { responsesFormat } from './formats/responses-format.js';
import type { Customer } from './support/customer.js';
import type { OpenStream, StreamOptions } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { jsonReply, streamOf } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { until } from './support/until.js';
import { streamedResponse, text as said } from './support/vendor-response.js';
import { anthropicVendor } from './vendors/anthropic-vendor.js';
import { sse } from './vendors/vendor.js';

useLoopbackOnly();
// Its warnings concern its user, not us.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const HEARTBEAT = 15_000;
const FIRST_TOKEN = 40_000;
const text = 'Ahoj';

/** Vendors by the form that they speak, and how they say the text. */
const vendors = {
  chat: { entry: {}, upstream: 'up', body: streamOf(text) },
  responses: { entry: { type: 'openai' }, upstream: 'gpt-loopback', body: streamedResponse([said(text)]) },
  messages: { entry: { type: 'anthropic' }, upstream: 'claude-haiku-4-5', body: anthropicVendor.answer({ text }, true).body },
} as const;
type Wire = keyof typeof vendors;

const failure = (status: number, headers: object = {}): Reply => {
  const reply = jsonReply({ error: { message: 'no' } }, status);
  return { ...reply, headers: { ...reply.headers, ...headers } };
};
const failures: Readonly<Record<string, Reply>> = {
  'a rate limit': failure(429, { 'retry-after': '7' }),
  'an account of ours without credits': failure(402),
  'a failure': failure(500),
  'too long a silence': { ending: 'silent' },
};

const clock = new ManualClock();
const first = useUpstream();
const second = useUpstream();

function start({ early_heartbeat = true, ...routing }: { early_heartbeat?: boolean; resume?: boolean } = {}): Promise<Gateway> {
  const facts = {
    pricing: { prompt: '0.0005', completion: '0.0015' },
    context_length: 100_000,
    max_tokens: 10_000,
    completions_via_chat: true,
    parameters: ['max_tokens'],
  };
  const wires = Object.entries(vendors);
  const modelsOf = (wire: string, upstream_model: string) =>
    Object.fromEntries(['alone', 'two', ...Object.keys(failures)].map((name) => [`${wire}-${name}`, { ...facts, upstream_model }]));
  const providers = Object.fromEntries(
    wires.map(([wire, { entry, upstream }]) => {
      const base_url = wire === 'messages' ? first.origin : `${first.origin}/v1`;
      return [wire, { ...entry, base_url, api_key: 'key', models: modelsOf(wire, upstream) }];
    }),
  );
  const twos = wires.map(([wire]) => `${wire}-two`);
  const other = { base_url: `${second.origin}/v1`, models: Object.fromEntries(twos.map((name) => [name, { ...facts, continues: true }])) };
  const models = wires.map(([wire]) => [`${wire}-two`, { strategy: 'priority', offers: [{ provider: wire }, { provider: 'other' }] }]);
  const settings: object = {
    server: { heartbeat: HEARTBEAT, early_heartbeat },
    routing: { retries: 0, first_token_timeout: FIRST_TOKEN, ...routing },
    store: { keep_responses: true },
    providers: { ...providers, other },
    models: Object.fromEntries(models),
  };
  return Gateway.start(settings, undefined, clock);
}

const gateway = useGateway(() => start());
const patient = useGateway(() => start({ early_heartbeat: false }));
const resuming = useGateway(() => start({ resume: true }));

const streams = ({ running }: Gateway): number => running.app.get(OpenStreams).size;

let release = (): void => undefined;
afterEach(() => release());

/** What is answered whose vendor has been asked and waits for `release`, as long after as a first heartbeat takes. */
async function silent<T>(reply: Reply, ask: () => Promise<T>, { by = gateway, begun = 1 } = {}) {
  const held = Promise.withResolvers<void>();
  release = held.resolve;
  first.replies({ ...reply, when: held.promise });
  const asked = first.nextRequest();
  const answer = ask();
  const { closed } = await asked;
  await clock.advance(HEARTBEAT - 1);
  expect(streams(by)).toBe(0);
  await clock.advance(1);
  expect(streams(by)).toBe(begun);
  return { answer, closed };
}

const rows: readonly { readonly format: Format; readonly wire: Wire }[] = [
  { format: chatFormat, wire: 'chat' },
  { format: completionsFormat, wire: 'chat' },
  { format: messagesFormat, wire: 'chat' },
  { format: messagesFormat, wire: 'messages' },
  { format: responsesFormat, wire: 'chat' },
  { format: responsesFormat, wire: 'responses' },
];

describe.each(rows)('A stream of $format.name on which nothing comes from a vendor of $wire', ({ format, wire }) => {
  const { upstream, body } = vendors[wire];
  const answered: Reply = { headers: sse, body };
  const beat = format === messagesFormat ? 'event: ping\ndata: {"type":"ping"}\n\n' : ': keep-alive\n\n';
  const servedBy = (offer: string) => `: x-switchyard-dropped-parameters: temperature\n: x-switchyard-served-by: ${offer}\n\n`;
  let customer: Customer;
  beforeEach(async () => {
    customer = await gateway.newCustomer('1');
  });

  const bodyOf = (name: string, stream: boolean) => ({ ...format.body(`${wire}-${name}`, { text: 'Hello?' }, stream), temperature: 0.5 });
  const ask = (name: string, { by = gateway, ...more }: Partial<StreamOptions> & { by?: Gateway } = {}) =>
    by.stream(format.path, bodyOf(name, true), { key: by === gateway ? customer.liveKey : by.customer.liveKey, ...more });

  const charged = async () => (await gateway.usage(1, customer)).map(({ amount, outcome }) => ({ amount, outcome }));

  it.each<Record<string, string>>([{}, { 'idempotency-key': format.path + wire }])(
    'has heartbeats, and then its answer (headers: %o)',
    async (headers) => {
      const { answer } = await silent(answered, () => ask('alone', { headers }));
      const stream = await answer;
      expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
      expect(Object.keys(stream.headers).filter((name) => name.startsWith('x-switchyard-'))).toEqual([]);
      await clock.advance(HEARTBEAT + 1_000);
      release();
      const all = await stream.text();
      const before = beat + beat + servedBy(`${wire}/${upstream}`);
      expect(all.slice(0, before.length)).toBe(before);
      expect(format.streamed(all.slice(before.length))).toMatchObject({ text, end: 'stop' });
      const [usage] = await charged();
      expect(usage!.outcome).toBe('completed');
      expect(usage!.amount).toBeGreaterThan(0n);
      const histories = gateway.running.app.get(RequestHistories);
      const record = () => histories.find(String(stream.headers['x-request-id']));
      await clock.until(async () => (await record())?.status === 200n, 5);
      expect(await record()).toMatchObject({ provider: wire, dropped_parameters: ['temperature'] });
    },
  );

  it('is answered by another offer where the first one fails', async () => {
    second.replies({ headers: sse, body: streamOf('Nazdar') });
    const { answer } = await silent(failures['a failure']!, () => ask('two'));
    const stream = await answer;
    expect(second.requests).toHaveLength(0);
    release();
    const all = await stream.text();
    const before = beat + servedBy(`other/${wire}-two`);
    expect(all.slice(0, before.length)).toBe(before);
    expect(format.streamed(all.slice(before.length))).toMatchObject({ text: 'Nazdar', end: 'stop' });
  });

  if (format !== completionsFormat)
    it('goes on elsewhere where it is cut, whose silence has its heartbeats', async () => {
      const after = body.indexOf('\n\n', body.indexOf(text)) + 2;
      const held = Promise.withResolvers<void>();
      second.replies({ headers: sse, body: streamOf(', ráno'), when: held.promise });
      const { answer } = await silent({ ...answered, after, ending: 'reset' }, () => ask('two', { by: resuming }), { by: resuming });
      const stream = await answer;
      release();
      release = held.resolve;
      await until(() => second.requests.length === 1, 'the other vendor');
      await clock.advance(HEARTBEAT + 1_000);
      await until(() => stream.received.endsWith(beat), 'a heartbeat within the answer');
      held.resolve();
      const all = await stream.text();
      expect(format.streamed(all)).toMatchObject({ text: `${text}, ráno`, end: 'stop' });
    });

  it.each(Object.entries(failures))(
    'ends with the error that it would have been refused with, and costs nothing: %s',
    async (name, reply) => {
      const fails = async (by: Gateway): Promise<OpenStream> => {
        const { answer } = await silent(reply, () => ask(name, { by }), { by, begun: by === gateway ? 1 : 0 });
        if (reply.ending) await clock.advance(FIRST_TOKEN);
        else release();
        return answer;
      };
      const refused = await fails(patient);
      expect(refused.status).toBeGreaterThanOrEqual(429);
      expect(refused.headers['retry-after']).toBe(reply.headers?.['retry-after']);
      const [code, message] = errorIn(await refused.text());
      const stream = await fails(gateway);
      const all = await stream.text();
      expect(stream.status).toBe(200);
      const named = format !== responsesFormat || code === 'rate_limit_exceeded' ? code : 'server_error';
      expect(/^: retry-after: (.*)$/m.exec(all)?.[1]).toBe(reply.headers?.['retry-after']);
      expect(errorIn(all.slice(all.lastIndexOf('data: ') + 'data: '.length))).toEqual([named, message]);
      expect(format.streamed(all)).toEqual({ thought: '', text: '', calls: [], end: 'failed' });
      expect(await charged()).toMatchObject([{ amount: 0n }]);
    },
  );

  it('whose client leaves is cancelled, and costs nothing', async () => {
    const { answer, closed } = await silent(answered, () => ask('alone'));
    (await answer).leave();
    await closed;
    await until(() => gateway.running.app.get(OpenRequests).size + streams(gateway) === 0, 'the end of the request');
    expect(await charged()).toEqual([{ amount: 0n, outcome: 'client_left' }]);
  });

  it('does not begin where its client has left before', async () => {
    first.replies({ ending: 'silent' });
    const asked = first.nextRequest();
    const leaving = new AbortController();
    const answer = ask('alone', { signal: leaving.signal });
    const { closed } = await asked;
    leaving.abort();
    await expect(answer).rejects.toThrow('aborted');
    await closed;
    await clock.advance(HEARTBEAT);
    expect(streams(gateway)).toBe(0);
  });

  it('is none where a whole answer is waited for', async () => {
    second.replies({ status: 503 });
    const whole = async () => gateway.post(format.path, bodyOf('two', false), customer.liveKey);
    const { answer } = await silent(failures['a failure']!, whole, { begun: 0 });
    release();
    expect((await answer).status).toBe(503);
  });
});

it('A stream of a response in the background begins at once, has heartbeats while nothing comes, and then its answer', async () => {
  const held = Promise.withResolvers<void>();
  first.replies({ headers: sse, body: vendors.chat.body, when: held.promise });
  const customer = await gateway.newCustomer('1');
  const body = { ...responsesFormat.body('chat-alone', { text: 'Hello?' }, true), store: true, background: true };
  const asked = first.nextRequest();
  const stream = await gateway.stream('responses', body, { key: customer.liveKey });
  await asked;
  await until(() => stream.received.includes('event: response.created'), 'the first event');
  await clock.until(() => stream.received.endsWith(': keep-alive\n\n'), 100);
  held.resolve();
  await clock.until(() => stream.received.includes('response.completed'), 100);
  expect(responsesFormat.streamed(await stream.text())).toMatchObject({ text, end: 'stop' });
});

/** Code and message of an error in whichever format. */
function errorIn(json: string): [code: string, message: string] {
  type Told = { readonly code: string; readonly message: string; readonly details?: { readonly error_code: string } };
  const { error, response } = JSON.parse(json) as { error?: Told; response?: { error: Told } };
  const { code, message, details } = error ?? response!.error;
  return [details?.error_code ?? code, message];
}

type Client = (connection: { baseURL: string; apiKey: string; maxRetries: 0 }) => Promise<string>;

const model = 'chat-alone';
const messages = [{ role: 'user' as const, content: 'Hello?' }];

const aiSdk =
  (modelAt: (connection: { baseURL: string; apiKey: string }) => LanguageModel): Client =>
  async ({ maxRetries, ...connection }) => {
    let streamed = '';
    const result = streamText({ model: modelAt(connection), prompt: 'Hello?', maxRetries, onError: () => undefined });
    for await (const part of result.stream) {
      if (part.type === 'error') throw part.error;
      if (part.type === 'text-delta') streamed += part.text;
    }
    return streamed;
  };

/** What official clients read of a stream, each by its own helpers. */
const clients: Readonly<Record<string, Client>> = {
  'openai: chat': async (connection) => (await new OpenAI(connection).chat.completions.stream({ model, messages }).finalContent()) ?? '',
  'openai: completions': async (connection) => {
    let streamed = '';
    for await (const { choices } of await new OpenAI(connection).completions.create({ model, prompt: 'Hello?', stream: true }))
      streamed += choices[0]?.text ?? '';
    return streamed;
  },
  'openai: responses': async (connection) => {
    const response = await new OpenAI(connection).responses.stream({ model, input: 'Hello?' }).finalResponse();
    if (response.error) throw new Error(response.error.message);
    return response.output_text;
  },
  'Anthropic: messages': ({ baseURL, ...connection }) =>
    new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), ...connection }).messages
      .stream({ model, messages, max_tokens: 100 })
      .finalText(),
  'AI SDK: compatible': aiSdk((connection) => createOpenAICompatible({ name: 'switchyard', ...connection })(model)),
  'AI SDK: chat': aiSdk((connection) => createOpenAI(connection).chat(model)),
  'AI SDK: responses': aiSdk((connection) => createOpenAI(connection).responses(model)),
  'AI SDK: messages': aiSdk((connection) => createAnthropic(connection)(model)),
  'LangChain: chat': async ({ baseURL, apiKey, maxRetries }) => {
    let streamed = '';
    for await (const chunk of await new ChatOpenAI({ apiKey, model, maxRetries, configuration: { baseURL } }).stream('Hello?'))
      streamed += chunk.text;
    return streamed;
  },
};

describe.each(Object.entries(clients))('The client %s', (_name, client) => {
  const ask = async () => client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.customer.liveKey, maxRetries: 0 });

  it('takes heartbeats before its answer', async () => {
    const { answer } = await silent({ headers: sse, body: vendors.chat.body }, ask);
    release();
    expect(await answer).toBe(text);
  });

  it('takes heartbeats before an error', async () => {
    const { answer } = await silent(failures['a rate limit']!, ask);
    release();
    await expect(answer).rejects.toThrow('The model is receiving too many requests.');
  });
});
