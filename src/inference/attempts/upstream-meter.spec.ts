import fc from 'fast-check';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import { UpstreamMeter } from './upstream-meter.js';

const request = (n = 1): GenerationRequest => ({ operation: 'chat', model: 'm', messages: [], stream: true, n });
const delta = (content: string, more: Partial<GenerationChunk> = {}): GenerationChunk => ({
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});
const end = (index = 0): GenerationChunk => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] });

describe('UpstreamMeter', () => {
  it('takes the provider’s usage of a complete response and recomputes the total', () => {
    const meter = new UpstreamMeter(request(), 100);
    meter.see(delta('hello'));
    meter.see({ ...end(), usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 1000 } });
    expect(meter.estimated).toBe(false);
    expect(meter.usage).toEqual({ prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 });
  });

  it.each([-5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])('reads the absurd count %p as 0', (value) => {
    const meter = new UpstreamMeter(request(), 100);
    meter.see({ ...end(), usage: { prompt_tokens: value, completion_tokens: value, total_tokens: value } });
    expect(meter.usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0 });
  });

  it('counts exactly where the provider reports the tokens of each chunk', () => {
    const meter = new UpstreamMeter(request(), 600);
    meter.see(delta('a long piece of text', { tokens: 3, promptTokens: 11 }));
    meter.see(delta('', { tokens: 0 }));
    expect(meter.delivered).toEqual({ prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 });
  });

  it('never estimates more tokens than bytes, nor fewer than events', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (texts) => {
        const meter = new UpstreamMeter(request(), 0);
        for (const text of texts) meter.see(delta(text));
        const { completion_tokens } = meter.delivered;
        expect(completion_tokens).toBeGreaterThanOrEqual(texts.length);
        expect(completion_tokens).toBeLessThanOrEqual(Buffer.byteLength(texts.join('')));
      }),
    );
  });

  it('refuses a complete response without the log probabilities that were asked for', () => {
    const meter = new UpstreamMeter({ operation: 'completion', model: 'm', prompt: 'p', stream: false, n: 1, logprobs: 0 }, 0);
    meter.see({ choices: [{ index: 0, text: 'x', finish_reason: 'stop', logprobs: null }] });
    expect(() => meter.requireFinished()).toThrow(expect.objectContaining({ kind: 'bad_response' }));
  });

  it('refuses a response with a choice that has not ended', () => {
    const meter = new UpstreamMeter(request(2), 0);
    meter.see(end(0));
    expect(() => meter.requireFinished()).toThrow(expect.objectContaining({ kind: 'bad_response' }));
    meter.see(end(1));
    expect(() => meter.requireFinished()).not.toThrow();
  });
});
