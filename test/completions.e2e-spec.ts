import fc from 'fast-check';
import { accumulate } from '../src/inference/chunks/accumulate.js';
import type { Completion, CompletionLogprobs } from '../src/wire/completion.js';
import type { GenerationChunk } from '../src/wire/generation.js';
import { eventsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { expectError, expectShape } from './support/wire-schemas.js';

const prompt = 'The kitchen was warm and';

describe('POST /v1/completions', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await Gateway.start({
      providers: {
        // Never reached.
        upstream: {
          base_url: 'http://127.0.0.1:9/v1',
          models: {
            'upstream-mute': {
              pricing: { prompt: 1, completion: 1 },
              capabilities: { completion: true },
              parameters: ['temperature', 'max_tokens', 'n'],
              token_id_prompts: false,
            },
          },
        },
      },
    });
  });
  afterAll(() => gateway.close());

  const post = (fields: object, model = 'sandbox-text') =>
    gateway.post('completions', { model, prompt, seed: 7, max_tokens: 8, ...fields });

  async function complete(fields: object = {}): Promise<Completion> {
    const { status, body } = await post(fields);
    expect({ status, error: (body as { error?: unknown }).error }).toEqual({ status: 200 });
    expectShape('completion', body);
    return body as Completion;
  }
  const texts = ({ choices }: Completion): string[] => choices.map(({ text }) => text);

  async function streamed(fields: object = {}): Promise<Completion[]> {
    const answer = await post({ stream: true, ...fields });
    expect(answer.status).toBe(200);
    const events = eventsOf<Completion>(answer.text);
    for (const event of events) expectShape('completionEvent', event);
    return events;
  }

  describe('the answer', () => {
    it('is one JSON object, status 200, for the model as it was named', async () => {
      const before = Math.floor(Date.now() / 1000);
      const { status, headers, body } = await post({});
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expectShape('completion', body);
      const { model, created, choices, usage } = body as Completion;
      expect(model).toBe('sandbox-text');
      expect(created).toBeGreaterThanOrEqual(before);
      expect(created).toBeLessThanOrEqual(Date.now() / 1000);
      expect(choices).toEqual([{ text: expect.stringMatching(/\S/), index: 0, logprobs: null, finish_reason: 'length' }]);
      expect(usage).toEqual({ prompt_tokens: expect.any(Number), completion_tokens: 8, total_tokens: usage!.prompt_tokens + 8 });
    });

    it('has an id of its own', async () => {
      const ids = await Promise.all(Array.from({ length: 5 }, async () => (await complete({ max_tokens: 1 })).id));
      expect(new Set(ids).size).toBe(5);
    });
  });

  describe('model', () => {
    it('must be there', async () => {
      for (const model of [undefined, null, '', 1]) {
        const answer = await gateway.post('completions', { prompt, model });
        expectError(answer, 400, 'invalid_request');
        expect(answer.body).toMatchObject({ error: { message: expect.stringMatching(/^model /) } });
      }
    });

    it('must exist', async () => {
      const answer = await post({}, 'no-such-model');
      expectError(answer, 404, 'model_not_found');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('no-such-model'), type: 'invalid_request_error' } });
    });

    it('must support the operation', async () => {
      expectError(await post({}, 'sandbox-chat'), 400, 'unsupported_model');
    });
  });

  describe('prompt', () => {
    it('may be token ids, one list for each, which the model reads as their text', async () => {
      const ids = (text: string) => [...Buffer.from(text)];
      const named = ['One fish', 'Two fish'];
      const several = await complete({ prompt: named.map(ids), echo: true });
      expect(texts(several)).toEqual(texts(await complete({ prompt: named, echo: true })));
      expect(texts(await complete({ prompt: ids('One fish'), echo: true }))[0]).toBe(texts(several)[0]);
      expectError(await post({ prompt: ids(prompt), echo: true, best_of: 2 }), 400, 'unsupported_parameter');
      const refused = await post({ prompt: ids(prompt), logprobs: null }, 'upstream-mute');
      expectError(refused, 400, 'unsupported_parameter');
      expect((refused.body as { error: { message: string } }).error.message).toContain('token ids');
    });

    it.each([
      ['missing', undefined],
      ['null', null],
      ['empty', ''],
      ['a number', 1],
      ['an object', {}],
      ['an empty array', []],
      ['an array with something else', ['a', 1]],
      ['an array with an empty string', ['a', '']],
      ['an array with something that is no token id', [1, -2]],
      ['an array of token ids and a text', [[1, 2], 'a']],
    ])('%s is refused in the words of the specification', async (_, value) => {
      const answer = await post({ prompt: value });
      expectError(answer, 400, 'invalid_prompt');
      expect(answer.body).toEqual({
        error: { message: 'You must provide a prompt', type: 'invalid_request_error', code: 'invalid_prompt' },
      });
    });

    it('is one, or several with a choice for each, in their order', async () => {
      const several = await complete({ prompt: ['One fish', 'Two fish', 'Red fish'], echo: true });
      expect(several.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(texts(several).map((text) => text.slice(0, 8))).toEqual(['One fish', 'Two fish', 'Red fish']);
      expect(texts(await complete({ prompt: ['One fish'], echo: true }))[0]).toBe(texts(several)[0]);
      expect(texts(await complete({ prompt: 'One fish', echo: true }))[0]).toBe(texts(several)[0]);
    });

    it('beyond the context is refused', async () => {
      expectError(await post({ prompt: 'word '.repeat(20_000) }), 400, 'context_length_exceeded');
    });
  });

  it('indexes choices from 0, prompt by prompt, n for each, whatever best_of', async () => {
    const counts = fc.record({
      prompts: fc.integer({ min: 1, max: 4 }),
      n: fc.integer({ min: 1, max: 3 }),
      more: fc.nat(2),
      stream: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(counts, async ({ prompts, n, more, stream }) => {
        const named = Array.from({ length: prompts }, (_, at) => `Prompt ${at}:`);
        const fields = { prompt: named, n, echo: true, max_tokens: 2, temperature: 2, ...(more > 0 && !stream && { best_of: n + more }) };
        const choices = stream ? accumulate((await streamed(fields)) as GenerationChunk[]).choices : (await complete(fields)).choices;
        expect(choices.map(({ index }) => index)).toEqual(Array.from({ length: prompts * n }, (_, index) => index));
        for (const { index, text } of choices) expect(text).toMatch(new RegExp(`^${named[Math.floor(index / n)]!}`));
      }),
      { numRuns: 25 },
    );
  });

  describe('suffix', () => {
    it('is the text that follows, and changes what is written', async () => {
      const without = texts(await complete({ temperature: 0, max_tokens: 16 }))[0];
      const suffixes = [' of the soup.', ' the bright stars in the cold night.', ' paid the bill.'];
      const inserted = await Promise.all(
        suffixes.map(async (suffix) => texts(await complete({ suffix, temperature: 0, max_tokens: 16 }))[0]),
      );
      expect(new Set([without, ...inserted]).size).toBeGreaterThan(1);
      expect(texts(await complete({ suffix: '', temperature: 0, max_tokens: 16 }))[0]).toBe(without);
    });

    it('is refused where the model cannot insert', async () => {
      expectError(await post({ suffix: 'x', seed: undefined }, 'upstream-mute'), 400, 'unsupported_parameter');
    });
  });

  describe('echo', () => {
    it('returns the prompt as well as the completion', async () => {
      const plain = await complete();
      const echoed = await complete({ echo: true });
      expect(texts(echoed)).toEqual([prompt + texts(plain)[0]!]);
      expect(echoed.usage).toEqual(plain.usage);
      expect(texts(await complete({ echo: false }))).toEqual(texts(plain));
    });

    it('with max_tokens 0 returns the prompt alone', async () => {
      const { choices, usage } = await complete({ echo: true, max_tokens: 0 });
      expect(choices[0]!.text).toBe(prompt);
      expect(usage!.completion_tokens).toBe(0);
    });

    it('with logprobs describes the prompt’s tokens too', async () => {
      const { choices } = await complete({ echo: true, logprobs: 2 });
      const { tokens, token_logprobs, top_logprobs, text_offset } = choices[0]!.logprobs!;
      expect(tokens.join('')).toBe(choices[0]!.text);
      expect(token_logprobs[0]).toBeNull();
      expect(top_logprobs![0]).toBeNull();
      expect(token_logprobs.slice(1).every((logprob) => logprob !== null)).toBe(true);
      expect(text_offset).toEqual(offsets(tokens));
    });
  });

  describe('best_of', () => {
    const candidates = { n: 6, logprobs: 0, temperature: 1.5, max_tokens: 6, seed: 3 };
    const mean = ({ token_logprobs }: CompletionLogprobs): number =>
      token_logprobs.reduce<number>((sum, logprob) => sum + logprob!, 0) / token_logprobs.length;

    it('returns the one with the lowest log probability per token', async () => {
      const all = await complete(candidates);
      const ranked = all.choices.toSorted((a, b) => mean(a.logprobs!) - mean(b.logprobs!));
      expect(new Set(texts(all)).size).toBe(6);
      const best = await complete({ ...candidates, n: 1, best_of: 6 });
      expect(texts(best)).toEqual([ranked[0]!.text]);
      expect(best.choices[0]!.logprobs).toEqual(ranked[0]!.logprobs);
      const two = await complete({ ...candidates, n: 2, best_of: 6 });
      expect(texts(two)).toEqual([ranked[0]!.text, ranked[1]!.text]);
    });

    it('returns the highest where the operator says so', async () => {
      const other = await Gateway.start({ routing: { best_of_ranking: 'highest' } });
      try {
        const ask = async (fields: object) =>
          (await other.post('completions', { model: 'sandbox-text', prompt, ...candidates, ...fields })).body as Completion;
        const all = await ask({});
        const highest = all.choices.toSorted((a, b) => mean(b.logprobs!) - mean(a.logprobs!))[0]!;
        expect(texts(await ask({ n: 1, best_of: 6 }))).toEqual([highest.text]);
      } finally {
        await other.close();
      }
    });

    it('counts all that was generated, and shows no log probabilities unasked', async () => {
      const all = await complete(candidates);
      const best = await complete({ ...candidates, n: 1, best_of: 6, logprobs: undefined });
      expect(best.usage).toEqual(all.usage);
      expect(best.choices[0]!.logprobs).toBeNull();
    });

    it('goes together with echo', async () => {
      const best = await complete({ ...candidates, n: 1, best_of: 6 });
      const plain = await complete({ ...candidates, n: 1, best_of: 6, echo: true, logprobs: undefined });
      const detailed = await complete({ ...candidates, n: 1, best_of: 6, echo: true });
      expect(texts(plain)).toEqual([prompt + texts(best)[0]!]);
      expect(texts(detailed)).toEqual(texts(plain));
    });

    it.each([{ best_of: 2, n: 2 }, { best_of: 2, n: 3 }, { best_of: 1, n: 2 }, { best_of: 0 }])(
      'must be greater than n: %j is refused',
      async (fields) => {
        const answer = await post(fields);
        expectError(answer, 400, 'invalid_request');
        expect(answer.body).toMatchObject({ error: { message: expect.stringMatching(/^best_of must be/) } });
      },
    );

    it('cannot be combined with streaming', async () => {
      const answer = await post({ best_of: 2, stream: true });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body).toMatchObject({ error: { message: 'best_of cannot be combined with stream' } });
    });

    it('1 is the default said aloud, with stream as well', async () => {
      expect(texts(await complete({ best_of: 1 }))).toEqual(texts(await complete()));
      expect((await streamed({ best_of: 1 })).length).toBeGreaterThan(1);
      await complete({ best_of: null, n: 2 });
    });

    it('needs a model that reports log probabilities', async () => {
      const answer = await post({ best_of: 2, seed: undefined }, 'upstream-mute');
      expectError(answer, 400, 'unsupported_parameter');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('best_of') } });
    });
  });

  describe('logprobs', () => {
    it.each([1, 3, 5])('%d tells that many most likely tokens', async (logprobs) => {
      const { choices, usage } = await complete({ logprobs });
      const { tokens, token_logprobs, top_logprobs, text_offset } = choices[0]!.logprobs!;
      expect(tokens).toHaveLength(usage!.completion_tokens);
      expect(tokens.join('')).toBe(choices[0]!.text);
      expect(text_offset).toEqual(offsets(tokens));
      expect(token_logprobs.every((logprob) => logprob! <= 0)).toBe(true);
      for (const [at, top] of top_logprobs!.entries()) {
        const likely = Object.values(top!).toSorted((a, b) => b - a);
        expect(likely.length).toBeGreaterThanOrEqual(logprobs);
        expect(likely.length).toBeLessThanOrEqual(logprobs + 1);
        expect(top![tokens[at]!]).toBe(token_logprobs[at]);
        expect(likely.reduce((sum, logprob) => sum + Math.exp(logprob), 0)).toBeLessThanOrEqual(1.000001);
      }
    });

    it('0 tells the chosen token alone, and null is what is there when none were asked for', async () => {
      const { logprobs } = (await complete({ logprobs: 0 })).choices[0]!;
      expect(logprobs!.token_logprobs).toHaveLength(8);
      expect(logprobs!.top_logprobs).toEqual(logprobs!.tokens.map((token, at) => ({ [token]: logprobs!.token_logprobs[at] })));
      expect((await complete({ logprobs: null })).choices[0]!.logprobs).toBeNull();
    });

    it.each([6, -1, 1.5, '1', true])('%j is refused: the maximum is 5', async (logprobs) => {
      const answer = await post({ logprobs });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body).toMatchObject({ error: { message: 'logprobs must be an integer from 0 to 5' } });
    });

    it('are refused where the model reports none', async () => {
      expectError(await post({ logprobs: 1, seed: undefined }, 'upstream-mute'), 400, 'unsupported_parameter');
    });
  });

  describe('the other parameters', () => {
    it('n gives so many choices', async () => {
      const { choices, usage } = await complete({ n: 4, temperature: 2 });
      expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
      expect(usage!.completion_tokens).toBeGreaterThan(8);
      expect(texts(await complete({ n: null }))).toHaveLength(1);
    });

    it('as many choices as the operator allows, all prompts and best_of together', async () => {
      expectError(await post({ prompt: Array.from({ length: 43 }, () => 'x'), n: 3 }), 400, 'invalid_request');
      expectError(await post({ n: 2 ** 40 }), 400, 'invalid_request');
      expectError(await post({ prompt: Array.from({ length: 26 }, () => 'x'), best_of: 5 }), 400, 'invalid_request');
      expect((await complete({ prompt: Array.from({ length: 64 }, () => 'x'), n: 2, max_tokens: 1 })).choices).toHaveLength(128);
    });

    it('temperature 0 repeats, 2 is random, more is refused', async () => {
      const answers = async (temperature: number) =>
        new Set((await Promise.all([1, 2, 3, 4].map((seed) => complete({ temperature, seed })))).map((answer) => texts(answer)[0])).size;
      expect(await answers(0)).toBe(1);
      expect(await answers(2)).toBe(4);
      expectError(await post({ temperature: 2.1 }), 400, 'invalid_request');
    });

    it('max_tokens bounds each choice', async () => {
      const { choices, usage } = await complete({ max_tokens: 2, n: 3, logprobs: 0 });
      expect(choices.every(({ logprobs }) => logprobs!.tokens.length <= 2)).toBe(true);
      expect(usage!.completion_tokens).toBeLessThanOrEqual(6);
      expectError(await post({ max_tokens: -1 }), 400, 'invalid_request');
      expectError(await post({ max_tokens: 1_000_000 }), 400, 'invalid_request');
    });

    it('stop ends the text before the sequence, given as several or as one string', async () => {
      const whole = texts(await complete({ temperature: 0, max_tokens: 30 }))[0]!;
      const word = whole.trim().split(/\s+/)[2]!;
      for (const stop of [[word], ['\u0000', word], word]) {
        const { text, finish_reason } = (await complete({ temperature: 0, max_tokens: 30, stop })).choices[0]!;
        expect(text).toBe(whole.slice(0, whole.indexOf(word)));
        expect(finish_reason).toBe('stop');
      }
      expectError(await post({ stop: [''] }), 400, 'invalid_request');
      expectError(await post({ stop: Array.from({ length: 17 }, () => 'x') }), 400, 'invalid_request');
    });

    it.each(['messages', 'tools', 'response_format', 'max_completion_tokens'])('%s belongs to the other operation', async (name) => {
      const answer = await post({ [name]: [1] });
      expectError(answer, 400, 'unsupported_parameter');
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining(name) } });
    });
  });

  describe('stream', () => {
    it('says the same in fragments, finish_reason null until the last of each choice', async () => {
      const fields = { prompt: ['One fish', 'Two fish'], n: 2, logprobs: 2, echo: true, temperature: 1.5 };
      const whole = await complete(fields);
      const events = await streamed(fields);
      const { id, created } = events[0]!;
      for (const event of events) expect(event).toMatchObject({ id, created, object: 'text_completion', model: 'sandbox-text' });
      for (const { index, finish_reason } of whole.choices) {
        const own = events.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
        expect(own.slice(0, -1).every((choice) => choice.finish_reason === null)).toBe(true);
        expect(own.at(-1)!.finish_reason).toBe(finish_reason);
      }
      const joined = accumulate(events as GenerationChunk[]).choices;
      expect(joined.map(({ text, logprobs }) => ({ text, logprobs }))).toEqual(
        whole.choices.map(({ text, logprobs }) => ({ text, logprobs })),
      );
    });

    it('has log probabilities of null where none were asked for', async () => {
      const events = await streamed();
      expect(events.length).toBeGreaterThan(3);
      expect(events.every(({ choices }) => choices[0]!.logprobs === null)).toBe(true);
    });

    it('tells usage only to those who ask', async () => {
      const whole = await complete();
      expect((await streamed()).some((event) => 'usage' in event)).toBe(false);
      const counted = await streamed({ stream_options: { include_usage: true } });
      expect(counted.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
      expect(counted.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    });
  });

  it('answers any JSON with a completion or an error in the envelope', async () => {
    const names = ['model', 'prompt', 'suffix', 'echo', 'best_of', 'logprobs', 'n', 'temperature', 'max_tokens', 'stop', 'stream', 'x'];
    const body = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 2 }));
    const good = { model: 'sandbox-text', prompt, max_tokens: 2 };
    await fc.assert(
      fc.asyncProperty(body, fc.subarray(Object.keys(good)), async (fields, fixed) => {
        const kept = Object.fromEntries(Object.entries(good).filter(([name]) => fixed.includes(name)));
        const answer = await gateway.post('completions', { ...fields, ...kept });
        if (answer.status === 200) return;
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(answer.status).toBeLessThan(500);
        expectShape('error', answer.body);
      }),
      { numRuns: 150 },
    );
  });
});

/** Where each token begins, in UTF-16 code units. */
function offsets(tokens: readonly string[]): number[] {
  let end = 0;
  return tokens.map((token) => (end += token.length) - token.length);
}
