import fc from 'fast-check';
import { accumulate } from '../src/wire/accumulate.js';
import type { Completion, CompletionLogprobs } from '../src/wire/completion.js';
import type { GenerationChunk } from '../src/wire/generation.js';
import { Gateway } from './support/gateway.js';
import { useGateway } from './support/started.js';
import { expectError, expectShape, expectedAnswer, expectedEvents } from './support/wire-schemas.js';

const prompt = 'The kitchen was warm and';

describe('POST /v1/completions', () => {
  const gateway = useGateway(() =>
    Gateway.start({
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
    }),
  );

  const post = (fields: object, model = 'sandbox-text') =>
    gateway.post('completions', { model, prompt, seed: 7, max_tokens: 8, ...fields });

  const complete = async (fields: object = {}): Promise<Completion> => expectedAnswer(await post(fields), 'completion') as Completion;
  const texts = ({ choices }: Completion): string[] => choices.map(({ text }) => text);

  const streamed = async (fields: object = {}): Promise<Completion[]> =>
    expectedEvents(await post({ stream: true, ...fields }), 'completionEvent');

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

    it('that is missing is refused in the words of the specification', async () => {
      const answer = await post({ prompt: undefined });
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

  describe('suffix', () => {});

  describe('echo', () => {
    it('returns the prompt as well as the completion', async () => {
      const plain = await complete();
      const echoed = await complete({ echo: true });
      expect(texts(echoed)).toEqual([prompt + texts(plain)[0]!]);
      expect(echoed.usage).toEqual(plain.usage);
      expect(texts(await complete({ echo: false }))).toEqual(texts(plain));
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
      await using other = await Gateway.start({ routing: { best_of_ranking: 'highest' } });
      const ask = async (fields: object) =>
        (await other.post('completions', { model: 'sandbox-text', prompt, ...candidates, ...fields })).body as Completion;
      const all = await ask({});
      const highest = all.choices.toSorted((a, b) => mean(b.logprobs!) - mean(a.logprobs!))[0]!;
      expect(texts(await ask({ n: 1, best_of: 6 }))).toEqual([highest.text]);
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
  });

  describe('the other parameters', () => {
    it('as many choices as the operator allows, all prompts and best_of together', async () => {
      expectError(await post({ prompt: Array.from({ length: 43 }, () => 'x'), n: 3 }), 400, 'invalid_request');
      expectError(await post({ n: 2 ** 40 }), 400, 'invalid_request');
      expectError(await post({ prompt: Array.from({ length: 26 }, () => 'x'), best_of: 5 }), 400, 'invalid_request');
      expect((await complete({ prompt: Array.from({ length: 64 }, () => 'x'), n: 2, max_tokens: 1 })).choices).toHaveLength(128);
    });
  });

  it.each([{ suffix: 'x' }, { best_of: 2 }, { logprobs: 1 }])('refuses %j where the model cannot', async (fields) => {
    const answer = await post({ ...fields, seed: undefined }, 'upstream-mute');
    expectError(answer, 400, 'unsupported_parameter');
    expect(answer.body).toMatchObject({ error: { message: expect.stringContaining(Object.keys(fields)[0]!) } });
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
  });
});

/** Where each token begins, in UTF-16 code units. */
function offsets(tokens: readonly string[]): number[] {
  let end = 0;
  return tokens.map((token) => (end += token.length) - token.length);
}
