import type OpenAI from 'openai';
import { until } from '../support/until.js';
import type { OpenAISuite } from './openai-suite.js';

export function describeOpenAICompletions({ client, gateway }: OpenAISuite): void {
  const ask = (): OpenAI.CompletionCreateParamsNonStreaming => ({
    model: gateway().models.completion,
    prompt: 'The weather in the mountains',
    max_tokens: 16,
    temperature: 0,
    seed: 7,
  });
  const mean = ({ logprobs }: OpenAI.CompletionChoice): number => {
    const values = logprobs!.token_logprobs!;
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };

  describe('legacy completions', () => {
    it('complete a text', async () => {
      const completion = await client().completions.create(ask());
      expect(completion).toMatchObject({ id: expect.any(String), object: 'text_completion', model: gateway().models.completion });
      const [choice] = completion.choices;
      expect(choice).toMatchObject({ index: 0, logprobs: null, text: expect.stringMatching(/\S/) });
      expect(['stop', 'length']).toContain(choice!.finish_reason);
      const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!;
      expect(total_tokens).toBe(prompt_tokens + completion_tokens);
      expect(completion_tokens).toBeLessThanOrEqual(16);
    });

    it('number the choices of several prompts prompt by prompt', async () => {
      const prompts = ['The weather in the mountains', 'A good soup'];
      const many = await client().completions.create({ ...ask(), prompt: prompts, n: 2 });
      expect(many.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
      const single = await Promise.all(prompts.map((prompt) => client().completions.create({ ...ask(), prompt })));
      // Temperature 0: each choice of a prompt is the same text.
      expect(many.choices.map(({ text }) => text)).toEqual(single.flatMap(({ choices: [choice] }) => [choice!.text, choice!.text]));
      expect(many.usage!.completion_tokens).toBe(2 * single.reduce((sum, { usage }) => sum + usage!.completion_tokens, 0));
    });

    it('echo the prompt', async () => {
      const plain = (await client().completions.create(ask())).choices[0]!;
      const echoed = (await client().completions.create({ ...ask(), echo: true })).choices[0]!;
      expect(echoed.text).toBe((ask().prompt as string) + plain.text);
    });

    it('report log probabilities in the legacy shape', async () => {
      const { text, logprobs } = (await client().completions.create({ ...ask(), logprobs: 4 })).choices[0]!;
      const { tokens, token_logprobs, top_logprobs, text_offset } = logprobs!;
      expect(tokens!.join('')).toBe(text);
      let offset = 0;
      for (const [index, token] of tokens!.entries()) {
        expect(text_offset![index]).toBe(offset);
        offset += token.length;
        expect(token_logprobs![index]).toBeLessThanOrEqual(0);
        expect(top_logprobs![index]![token]).toBeCloseTo(token_logprobs![index]!, 9);
        expect(Object.keys(top_logprobs![index]!).length).toBeGreaterThanOrEqual(4);
      }
    });

    it('report log probabilities of an echoed prompt, of which nothing precedes the first token', async () => {
      const { text, logprobs } = (await client().completions.create({ ...ask(), logprobs: 1, echo: true })).choices[0]!;
      expect(logprobs!.tokens!.join('')).toBe(text);
      expect(logprobs!.token_logprobs![0]).toBeNull();
      expect(logprobs!.token_logprobs!.slice(1).every((value) => value <= 0)).toBe(true);
    });

    it('return the n of best_of with the lowest log probability per token, ranked', async () => {
      const sampled = { ...ask(), temperature: 1, logprobs: 0 };
      const all = await client().completions.create({ ...sampled, n: 6 });
      const best = await client().completions.create({ ...sampled, n: 2, best_of: 6 });
      const expected = all.choices.map(mean).sort((a, b) => a - b);
      expect(best.choices.map(({ index }) => index)).toEqual([0, 1]);
      for (const [place, choice] of best.choices.entries()) expect(mean(choice)).toBeCloseTo(expected[place]!, 9);
      expect(best.usage!.completion_tokens).toBe(all.usage!.completion_tokens);
    });

    it('let a suffix change the probabilities', async () => {
      const suffixes = [undefined, ' and the rain stops.', ' in the soup.'];
      const answers = await Promise.all(suffixes.map((suffix) => client().completions.create({ ...ask(), suffix, logprobs: 5 })));
      expect(new Set(answers.map(({ choices }) => JSON.stringify(choices[0]!.logprobs!.token_logprobs))).size).toBeGreaterThan(1);
    });

    it('stop at a stop sequence and leave it out', async () => {
      const { text } = (await client().completions.create(ask())).choices[0]!;
      const stop = text
        .slice(Math.floor(text.length / 2))
        .trim()
        .slice(0, 4);
      const [choice] = (await client().completions.create({ ...ask(), stop: [stop] })).choices;
      expect(choice).toMatchObject({ text: text.slice(0, text.indexOf(stop)), finish_reason: 'stop' });
    });

    it('stream the same texts in pieces', async () => {
      const asked = { ...ask(), n: 2, logprobs: 2, prompt: ['A good soup', 'The train'] };
      const whole = await client().completions.create(asked);
      const texts: string[] = [];
      const tokens: string[][] = [];
      const reasons: (string | null)[] = [];
      for await (const chunk of await client().completions.create({ ...asked, stream: true })) {
        expect(chunk).toMatchObject({ object: 'text_completion', model: gateway().models.completion });
        for (const { index, text, logprobs, finish_reason } of chunk.choices) {
          expect(reasons[index] ?? null).toBeNull();
          texts[index] = (texts[index] ?? '') + text;
          tokens[index] = [...(tokens[index] ?? []), ...(logprobs?.tokens ?? [])];
          reasons[index] = finish_reason;
        }
      }
      expect(texts).toEqual(whole.choices.map(({ text }) => text));
      expect(tokens).toEqual(whole.choices.map(({ logprobs }) => logprobs!.tokens));
      expect(reasons).toEqual(whole.choices.map(({ finish_reason }) => finish_reason));
    });

    it('send the usage in one more chunk when asked', async () => {
      const { usage } = await client().completions.create(ask());
      const chunks: OpenAI.Completion[] = [];
      const stream = await client().completions.create({ ...ask(), stream: true, stream_options: { include_usage: true } });
      for await (const chunk of stream) chunks.push(chunk);
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
    });

    it('end the generation when the client leaves', async () => {
      const stream = await client().completions.create({ ...ask(), model: gateway().models.stall, max_tokens: undefined, stream: true });
      for await (const chunk of stream) {
        if (!chunk.choices[0]?.text) continue;
        expect(gateway().openGenerations()).toBeGreaterThan(0);
        stream.controller.abort();
      }
      await until(() => gateway().openGenerations() === 0, 'the end of the generation');
    });
  });
}
