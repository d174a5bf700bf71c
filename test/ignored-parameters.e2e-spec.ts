import fc from 'fast-check';
import type { Reply } from '../src/providers/testing/loopback-upstream.js';
import type { Customer } from './support/customer.js';
import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

type Body = Record<string, unknown>;

const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);
const legacyLogprobs = { tokens: ['b', 'c'], token_logprobs: [-1, -2], top_logprobs: [{ b: -1 }, { c: -2 }], text_offset: [0, 1] };
const chatLogprobs = { content: [{ token: 'bc', logprob: -1, bytes: null, top_logprobs: [] }], refusal: null };
const calls = [{ index: 0, id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }];

/** An engine in OpenAI's format, llama-server in its reading of `logprobs: 0`, that honours what it is asked for. */
function answer(path: string, body: Body): Reply {
  const chat = path.endsWith('/chat/completions');
  const choices = Array.from({ length: number(body['n'], 1) }, (_, index) => {
    const tools = chat && body['tools'] !== undefined && body['tool_choice'] !== 'none';
    const text = `${body['echo'] ? String(body['prompt']) : ''}bc`;
    const content = body['response_format'] ? '{}' : text;
    const logprobs = chat ? (body['logprobs'] ? chatLogprobs : null) : number(body['logprobs'], 0) > 0 ? legacyLogprobs : null;
    const message = tools ? { role: 'assistant', content: null, tool_calls: calls } : { role: 'assistant', content };
    return { index, ...(chat ? { message } : { text }), logprobs, finish_reason: tools ? 'tool_calls' : 'stop' };
  });
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
  const common = { id: 'x', created: 1, model: 'up', object: chat ? 'chat.completion' : 'text_completion' };
  if (!body['stream']) return jsonReply({ ...common, choices, usage });
  const event = (more: object) =>
    `data: ${JSON.stringify({ ...common, object: chat ? 'chat.completion.chunk' : 'text_completion', ...more })}\n\n`;
  const events = choices.map(({ finish_reason, ...choice }) => {
    const { message, ...rest } = choice as { message?: object };
    const part = chat ? { ...rest, delta: message } : rest;
    return (
      event({ choices: [{ ...part, finish_reason: null }] }) +
      event({ choices: [{ index: choice.index, ...(chat ? { delta: {} } : { text: '' }), finish_reason }] })
    );
  });
  const end = body['stream_options'] ? event({ choices: [], usage }) : '';
  return { headers: { 'content-type': 'text/event-stream' }, body: `${events.join('')}${end}data: [DONE]\n\n` };
}

const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];

/** Every parameter of each operation, with values that ask for something. */
const shared = {
  n: [1, 2, 5],
  max_tokens: [1, 10],
  stop: ['b', ['b', 'c']],
  temperature: [0, 1.5],
  top_p: [0, 0.5],
  seed: [3],
  presence_penalty: [1],
  frequency_penalty: [-1],
  logit_bias: [{ '1': 5 }],
  user: ['someone'],
  stream: [true, false],
  stream_options: [{ include_usage: true }],
};
const parameters = {
  completions: { ...shared, logprobs: [0, 1, 5], best_of: [6], echo: [true], suffix: ['z'] },
  'chat/completions': {
    ...shared,
    logprobs: [true],
    top_logprobs: [0, 2],
    tools: [tools],
    tool_choice: ['auto', 'none', 'required'],
    parallel_tool_calls: [false],
    response_format: [{ type: 'json_object' }, { type: 'text' }],
    reasoning_effort: ['low'],
  },
} satisfies Record<string, Record<string, unknown[]>>;

type Path = keyof typeof parameters;
const paths = Object.keys(parameters) as Path[];

describe('An engine that ignores a parameter', () => {
  let customer: Customer;
  let ignored: string;

  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const facts = { pricing: { prompt: 1, completion: 1 }, context_length: 1_000, max_tokens: 100, capabilities: { completion: true } };
    const models = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`m-${i}`, facts]));
    return Gateway.start({ providers: { engine: { base_url: `${upstream.origin}/v1`, models } } }, '1000000');
  });
  beforeAll(async () => {
    customer = await gateway.newCustomer('1000000');
  });

  beforeEach(() => upstream.replies(({ path, body }) => answer(path, { ...(JSON.parse(body) as Body), [ignored]: undefined })));

  const bodyOf = (path: Path, model: string, more: object) => ({
    model,
    ...(path === 'completions' ? { prompt: 'a' } : { messages: [{ role: 'user', content: 'a' }] }),
    ...more,
  });
  const ask = (path: Path, model: string, more: object, key = customer.liveKey) =>
    gateway.post(path, bodyOf(path, model, more), key).buffer(true);

  const expectServed = async (model: string) => {
    for (const { liveKey } of [customer, gateway.customer])
      for (const path of paths) expect([path, (await ask(path, model, {}, liveKey)).status]).toEqual([path, 200]);
  };

  let model = 0;
  const all = paths.flatMap((path) => Object.keys(parameters[path]).map((name) => [path, name] as const));

  it.each(all)('pauses nothing for anybody: %s, %s', async (path, name) => {
    ignored = name === 'best_of' ? 'logprobs' : name;
    const options = parameters[path] as Record<string, unknown[]>;
    const withOthers = fc
      .subarray(Object.keys(options), { maxLength: 3 })
      .chain((names) => fc.record(Object.fromEntries([...names, name].map((each) => [each, fc.constantFrom(...options[each]!)]))));
    const one = `m-${model++}`;
    const alone = options[name]!.flatMap((value) => [1, 2, 3, 4].map(() => ({ [name]: value })));
    for (const body of [...alone, ...fc.sample(withOthers, 12)]) {
      const { status, text } = await ask(path, one, body);
      // Either the answer, or an error that tells the client that it is its parameter.
      if (status !== 200) expect([status, text]).toEqual([400, expect.stringMatching(/unsupported_parameter|invalid_request/)]);
      else if (text.includes('"error"')) expect(text).toContain('unsupported_parameter');
    }
    await expectServed(one);
  });

  it('is not asked for what it ignores again by the same customer, who is told which parameter it is', async () => {
    for (const [name, more] of [
      ['logprobs', { logprobs: 2 }],
      ['best_of', { best_of: 3 }],
    ] as const) {
      ignored = 'logprobs';
      const one = `m-${model++}`;
      const before = await gateway.balance(customer);
      for (let i = 0; i < 5; i++) {
        const refused = await ask('completions', one, more);
        expectError(refused, 400, 'unsupported_parameter');
        expect(refused.text).toContain('log probabilities');
        expect(refused.text.includes('best_of')).toBe(name === 'best_of');
      }
      expect(upstream.requests.filter(({ body }) => body.includes(`"${one}"`))).toHaveLength(1);
      expect(await gateway.balance(customer)).toBe(before);
      // What one customer has met is not held against another.
      ignored = '';
      expect((await ask('completions', one, more, gateway.customer.liveKey)).status).toBe(200);
    }
  });

  it.each([
    ['whole', false],
    ['streamed', true],
  ])('is asked for each choice that it has not given where it ignores n: %s', async (_kind, stream) => {
    ignored = 'n';
    const one = `m-${model++}`;
    const asked = () =>
      upstream.requests.filter(({ body }) => body.includes(`"${one}"`)).map(({ body }) => (JSON.parse(body) as Body)['n'] ?? 1);
    // The first answer is one of the three; the next request knows already.
    for (const counts of [
      [3, 1, 1],
      [3, 1, 1, 1, 1, 1],
    ]) {
      const before = await gateway.balance(customer);
      const more = stream ? { stream, stream_options: { include_usage: true } } : {};
      const { status, text, body } = await ask('chat/completions', one, { n: 3, ...more });
      expect([status, asked()]).toEqual([200, counts]);
      expect(text.match(/"usage":\{[^{}]*/g)).toEqual(['"usage":{"prompt_tokens":9,"completion_tokens":6,"total_tokens":15']);
      const indexes = stream
        ? [...text.matchAll(/"index":(\d),"delta":\{\},"logprobs":null,"finish_reason":"stop"/g)].map(([, index]) => Number(index))
        : (body as { choices: { index: number }[] }).choices.map(({ index }) => index);
      expect(indexes.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
      // Three calls of three and two tokens, at one credit for a thousand.
      expect(before - (await gateway.balance(customer))).toBe(15_000_000n);
    }
  });

  it('is asked for each choice of each prompt that it has not given', async () => {
    ignored = 'n';
    const one = `m-${model++}`;
    const before = await gateway.balance(customer);
    const { status, body } = await ask('completions', one, { prompt: ['a', 'b'], n: 2, echo: true });
    const { choices, usage } = body as { choices: { index: number; text: string }[]; usage: object };
    expect([status, choices.map(({ index, text }) => [index, text])]).toEqual([
      200,
      ['abc', 'abc', 'bbc', 'bbc'].map((text, i) => [i, text]),
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 8 });
    expect(before - (await gateway.balance(customer))).toBe(20_000_000n);
  });

  it('is left with all of its calls when the client leaves', async () => {
    const one = `m-${model++}`;
    upstream.replies(({ path, body }) => {
      const given = { ...(JSON.parse(body) as Body), n: undefined };
      return upstream.requests.length === 1 ? answer(path, given) : { ...answer(path, given), after: 150, ending: 'stall' };
    });
    const aborted = new AbortController();
    const left = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.liveKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf('chat/completions', one, { n: 3, stream: true })),
      signal: aborted.signal,
    }).then((response) => response.text());
    while (upstream.requests.length < 3) await upstream.nextRequest();
    aborted.abort();
    await expect(left).rejects.toThrow();
    await Promise.all(upstream.requests.slice(1).map(({ closed }) => closed));
  });

  it('is asked for the log probability of each token where a client wants no alternatives', async () => {
    ignored = '';
    const { status, body } = await ask('completions', `m-${model++}`, { logprobs: 0, best_of: 2 });
    expect(status).toBe(200);
    expect((body as { choices: { logprobs: unknown }[] }).choices[0]!.logprobs).toEqual({
      ...legacyLogprobs,
      top_logprobs: [{ b: -1 }, { c: -2 }],
    });
    expect(JSON.parse(upstream.requests.at(-1)!.body)).toMatchObject({ logprobs: 1 });
    expect((await ask('completions', `m-${model++}`, { best_of: 2 })).status).toBe(200);
  });
});
