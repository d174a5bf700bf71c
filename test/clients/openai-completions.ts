import type OpenAI from 'openai';
import type { OpenAISuite } from './openai-suite.js';

export function describeOpenAICompletions({ client, gateway }: OpenAISuite): void {
  const ask = (): OpenAI.CompletionCreateParamsNonStreaming => ({
    model: gateway().models.completion,
    prompt: 'The weather in the mountains',
    max_tokens: 16,
    temperature: 0,
    seed: 7,
  });

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
  });
}
