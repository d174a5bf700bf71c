import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import { facts } from '../calibration/rates.js';
import { ceilingOf } from './believed-usage.js';
import { UpstreamMeter } from './upstream-meter.js';

const request = (n = 1): GenerationRequest => ({ operation: 'chat', model: 'm', messages: [], stream: true, n });
const delta = (content: string, more: Partial<GenerationChunk> = {}): GenerationChunk => ({
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});
const model = { contextLength: 10_000, maxTokens: 1_000 };
const ceiling = ceilingOf(model, 1);
const end = (index = 0): GenerationChunk => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] });

describe('UpstreamMeter', () => {
  it('takes the provider’s usage of a complete response and recomputes the total', () => {
    const meter = new UpstreamMeter(request(), 100, ceiling);
    meter.see(delta('hello'));
    meter.see({ ...end(), usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 1000 } });
    expect(meter.estimated).toBe(false);
    expect(meter.usage).toEqual({ prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 });
  });

  it.each([
    [0, 0],
    [1.5, 2],
    [1_000, 1_000],
  ])('reads the count %p as %p', (value, count) => {
    const meter = new UpstreamMeter(request(), 100, ceiling);
    meter.see({ ...end(), usage: { prompt_tokens: value, completion_tokens: value, total_tokens: value } });
    expect(meter.estimated).toBe(false);
    expect(meter.usage).toMatchObject({ prompt_tokens: count, completion_tokens: count });
  });

  it.each([
    [10_001, 1],
    [1, 10_001],
    [1, Number.NaN],
    [Number.POSITIVE_INFINITY, 1],
    [2 ** 60, 1],
    [1, 2 ** 60],
    [-5, 1],
    [1, -5],
  ])('does not believe %p and %p tokens, which cannot be true, and counts itself', (prompt, completion) => {
    const meter = new UpstreamMeter(request(), 100, ceiling);
    meter.see(delta('a long piece of text'));
    meter.see({ ...end(), usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion } });
    expect(meter.estimated).toBe(true);
    expect(meter.usage).toEqual(meter.delivered);
    expect(meter.usage.completion_tokens).toBeGreaterThan(0);
  });

  it('believes no more output than the model generates, of what it could', () => {
    for (const said of [1_001, 10_000]) {
      const meter = new UpstreamMeter(request(), 100, ceiling);
      meter.see({ ...end(), usage: { prompt_tokens: 5, completion_tokens: said, total_tokens: said + 5 } });
      expect(meter.estimated).toBe(false);
      expect(meter.usage).toEqual({ prompt_tokens: 5, completion_tokens: 1_000, total_tokens: 1_005 });
    }
  });

  it.each([
    [{ cached_tokens: 387 }, { cached_tokens: 293 }],
    [
      { cached_tokens: 200, cache_creation_tokens: 200 },
      { cached_tokens: 200, cache_creation_tokens: 93 },
    ],
  ])('cuts the parts %j of 293 tokens, and marks them as contradictory', (told, prompt_tokens_details) => {
    const meter = new UpstreamMeter(request(), 100, ceiling);
    const counts = { prompt_tokens: 293, completion_tokens: 58, total_tokens: 351 };
    const completion_tokens_details = { reasoning_tokens: 95 };
    meter.see({ ...end(), usage: { ...counts, prompt_tokens_details: told, completion_tokens_details } });
    expect(meter.usage).toEqual({ ...counts, prompt_tokens_details, completion_tokens_details: { reasoning_tokens: 58 } });
    expect(meter.contradictory).toBe(true);
  });

  it('marks what its provider has marked, and nothing else', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    const marks = [{ contradictory: true as const }, {}].map((mark) => {
      const meter = new UpstreamMeter(request(), 100, ceiling);
      meter.see({ ...end(), usage: { ...usage, ...mark } });
      expect(meter.usage).toEqual(usage);
      return meter.contradictory;
    });
    expect(marks).toEqual([true, false]);
  });

  it('charges who leaves by what was told last of the prompt', () => {
    const meter = new UpstreamMeter(request(), 100, ceiling);
    meter.see(delta('hello', { promptTokens: 169, promptDetails: { cached_tokens: 150 }, tokens: 1 }));
    expect(meter.delivered).toMatchObject({ prompt_tokens: 169, completion_tokens: 1 });
    meter.see(delta('you', { promptTokens: 79, tokens: 1 }));
    expect(meter.delivered).toMatchObject({ prompt_tokens: 79, completion_tokens: 2 });
    expect(meter.delivered).not.toHaveProperty('prompt_tokens_details');
  });

  const marked = { ...request(), messages: [{ role: 'user', content: 'Hi', cache_control: { type: 'ephemeral' } }] } as GenerationRequest;

  it('takes no prompt for written to a cache, where nobody has counted it', () => {
    const meter = new UpstreamMeter(marked, 600, ceiling, facts);
    meter.see(delta('hello'));
    expect(meter.delivered).not.toHaveProperty('prompt_tokens_details');
  });

  it('takes the parts of the prompt as the provider tells them before its usage', () => {
    const promptDetails = { cached_tokens: 80, cache_creation_tokens: 0 };
    const meter = new UpstreamMeter(marked, 600, ceiling);
    meter.see(delta('hello', { promptTokens: 90, promptDetails }));
    expect(meter.delivered).toMatchObject({ prompt_tokens: 90, prompt_tokens_details: promptDetails });
    const uncached = new UpstreamMeter(marked, 600, ceiling);
    uncached.see(delta('hello', { promptTokens: 90 }));
    expect(uncached.delivered).not.toHaveProperty('prompt_tokens_details');
  });

  it('counts at least what the provider has told of an answer that is left', () => {
    const meter = new UpstreamMeter(request(), 600, ceiling);
    const completion_tokens_details = { reasoning_tokens: 300 };
    const server_tool_use = { web_search_requests: 20 };
    meter.see(delta('hello', { usageSoFar: { prompt_tokens: 90, completion_tokens: 310, completion_tokens_details, server_tool_use } }));
    expect(meter.estimated).toBe(true);
    const counts = { prompt_tokens: 90, completion_tokens: 310, completion_tokens_details, server_tool_use };
    expect(meter.delivered).toMatchObject(counts);
    expect(meter.told).toMatchObject(counts);
    meter.see(delta(' world'.repeat(1_000)));
    expect(meter.completionTokens).toBeGreaterThan(310);
    expect(meter.told).toMatchObject(counts);
  });

  it('counts itself what the provider has told and cannot be true, but for its searches', () => {
    for (const told of [{ prompt_tokens: 10_001 }, { completion_tokens: 10_001_000 }]) {
      const meter = new UpstreamMeter(request(), 600, ceiling);
      meter.see(delta('hello', { usageSoFar: { ...told, server_tool_use: { web_search_requests: 7 } } }));
      expect(meter.delivered).toMatchObject({ prompt_tokens: 100, completion_tokens: 1, server_tool_use: { web_search_requests: 7 } });
    }
  });

  it('believes of several choices what they may have together', () => {
    for (const [told, counted] of [
      [1_900, 1_900],
      [2_500, 2_000],
    ] as const) {
      // prettier-ignore
      const meter = new UpstreamMeter(request(2), 600, ceilingOf(model, 2));
      meter.see(delta('hello', { usageSoFar: { completion_tokens: told } }));
      expect(meter.delivered.completion_tokens).toBe(counted);
    }
  });

  it('tells a total that stands alone apart by its own count of the prompt', () => {
    const meter = new UpstreamMeter(request(), 600, ceiling);
    meter.see(delta('hello', { usageSoFar: { total_tokens: 130 } }));
    expect(meter.delivered).toEqual({ prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 });
  });

  it.each([
    [50, 50, 0],
    [101, 100, 1],
    [120, 100, 20],
  ])('comes to a total of %p that stands alone, whatever it has counted itself', (total_tokens, prompt_tokens, completion_tokens) => {
    const rates = { ...facts, mostCached: 1_000, uncached: { first: 0.25, later: 0.25 } };
    const meter = new UpstreamMeter(request(), 600, ceiling, rates);
    meter.see(delta('hello '.repeat(50)));
    meter.see({ ...end(), usageSoFar: { total_tokens } });
    expect(meter.usage).toMatchObject({ prompt_tokens, completion_tokens, total_tokens });
    expect(meter.usage.prompt_tokens_details?.cached_tokens).toBeLessThanOrEqual(prompt_tokens);
    expect(meter.estimated).toBe(true);
  });

  it('believes an answer that has searched as many contexts of sources and reasoning as it has steps', () => {
    const usageWith = (searches: number) => ({
      prompt_tokens: 7,
      completion_tokens: 38_500,
      total_tokens: 38_507,
      completion_tokens_details: { citation_tokens: 8_000, reasoning_tokens: 30_000 },
      server_tool_use: { web_search_requests: searches },
    });
    const read = (searches: number): UpstreamMeter => {
      const meter = new UpstreamMeter(request(), 600, ceiling);
      meter.see({ ...delta('hello'), ...end(), usage: usageWith(searches) });
      return meter;
    };
    expect(read(2).usage).toEqual(usageWith(2));
    expect(read(1).estimated).toBe(true);
    expect(read(1).usage.server_tool_use).toEqual({ web_search_requests: 1 });
    expect(read(0).estimated).toBe(true);
  });

  it.each([
    ['web_search_20250305', 'web_search_requests', 2],
    ['web_fetch_20250910', 'web_fetch_requests', undefined],
  ])('believes as many contexts of the prompt as there are steps that were asked for: %s', (type, counted, max_tool_calls) => {
    const hosted_tools = [{ type, max_uses: 2 }];
    const read = (prompt_tokens: number, calls: number): number => {
      const meter = new UpstreamMeter(
        { operation: 'chat', model: 'm', messages: [], stream: true, n: 1, hosted_tools, max_tool_calls },
        600,
        ceiling,
      );
      const server_tool_use = { [counted]: calls };
      meter.see({
        ...delta('hello'),
        ...end(),
        usage: { prompt_tokens, completion_tokens: 1, total_tokens: prompt_tokens + 1, server_tool_use },
      });
      return meter.usage.prompt_tokens;
    };
    expect([read(30_000, 2), read(20_000, 1), read(20_001, 1), read(30_001, 9)]).toEqual([30_000, 20_000, 100, 100]);
  });

  it('looks at the hosted tools of a request once, however often calls are counted', () => {
    let looks = 0;
    const tool = Object.defineProperty({ max_uses: 2, type: '' }, 'type', { get: () => (looks++, 'web_search') });
    const meter = new UpstreamMeter(Object.assign(request(), { hosted_tools: [tool], max_tool_calls: 2 }), 600, ceiling);
    const counted = (web_search_requests: number): number => {
      looks = 0;
      meter.see({ ...delta('x'), usageSoFar: { server_tool_use: { web_search_requests } } });
      return looks;
    };
    expect([counted(1), counted(2), counted(3)]).toEqual([1, 0, 0]);
    expect(meter.madeMoreCalls).toBe(true);
  });

  it('counts exactly where the provider reports the tokens of each chunk', () => {
    const meter = new UpstreamMeter(request(), 600, ceiling);
    meter.see(delta('a long piece of text', { tokens: 3, promptTokens: 11 }));
    meter.see(delta('', { tokens: 0 }));
    expect(meter.delivered).toEqual({ prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 });
  });

  it('counts itself where a chunk has fewer tokens than none, or a prompt', () => {
    const meter = new UpstreamMeter(request(), 600, ceiling);
    meter.see(delta('a long piece of text', { tokens: -3, promptTokens: -11 }));
    expect(meter.delivered).toEqual({ prompt_tokens: 100, completion_tokens: 3, total_tokens: 103 });
  });

  it.each([
    ['in one piece each', [[0], [1]]],
    ['in pieces', [[0], [0], [1]]],
    ['in pieces that come in turns', [[0], [1], [0], [1]]],
    ['in one chunk', [[0, 1]]],
  ])('counts two tokens for each call of a tool, by facts: %s', (_, chunks) => {
    const meter = new UpstreamMeter(request(), 0, ceiling);
    const calls = (indexes: number[]) => indexes.map((index) => ({ index, function: { name: 'f', arguments: '' } }));
    for (const indexes of chunks) meter.see({ choices: [{ index: 0, delta: { tool_calls: calls(indexes) }, finish_reason: null }] });
    meter.see({ choices: [{ index: 0, delta: { tool_calls: [{ index: 1, function: { arguments: '{"a":1}' } }] }, finish_reason: null }] });
    // And one for 9 to 12 bytes: by facts 6 are one.
    expect(meter.delivered.completion_tokens).toBe(5);
  });

  it('knows when the first token came, however late it is asked', async () => {
    const meter = new UpstreamMeter(request(), 600, ceiling, { ...facts, hidden: 1 });
    const before = performance.now();
    await delay(20);
    meter.see(delta('hello'));
    const after = performance.now();
    await delay(20);
    expect(meter.firstTokenAt).toBeGreaterThanOrEqual(before + 10);
    expect(meter.firstTokenAt).toBeLessThanOrEqual(after);
    expect(meter.completionTokens).toBeLessThanOrEqual(after - before + 2);
  });

  it('never estimates more tokens than bytes, nor fewer than events', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (texts) => {
        const meter = new UpstreamMeter(request(), 0, ceiling);
        for (const text of texts) meter.see(delta(text));
        const { completion_tokens } = meter.delivered;
        expect(completion_tokens).toBeGreaterThanOrEqual(texts.length);
        expect(completion_tokens).toBeLessThanOrEqual(Buffer.byteLength(texts.join('')));
      }),
    );
  });

  it.each([
    ['a text in a member of its own', { delta: { thinking: 'Let me think about it.' } }, 3],
    ['an image', { delta: { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] } }, 1],
    ['citations', { delta: { annotations: [{ type: 'url_citation' }] } }, 1],
    ['log probabilities alone', { delta: { content: '' }, logprobs: { content: [], refusal: null } }, 1],
  ])('counts what has no text of the wire format: %s', (_name, choice, tokens) => {
    const meter = new UpstreamMeter(request(), 0, ceiling);
    meter.see({ choices: [{ index: 0, finish_reason: null, ...choice }] });
    expect(meter.delivered.completion_tokens).toBe(tokens);
    expect(meter.empty).toBe(false);
  });

  it('refuses a complete response without the log probabilities that were asked for', () => {
    const meter = new UpstreamMeter({ operation: 'completion', model: 'm', prompt: 'p', stream: false, n: 1, logprobs: 0 }, 0, ceiling);
    meter.see({ choices: [{ index: 0, text: 'x', finish_reason: 'stop', logprobs: null }] });
    expect(() => meter.requireFinished()).toThrow(expect.objectContaining({ kind: 'parameter_ignored', parameter: 'logprobs' }));
  });

  it('refuses a response with a choice that has not ended, or is not there', () => {
    const meter = new UpstreamMeter(request(2), 0, ceiling);
    expect(() => meter.requireFinished()).toThrow(expect.objectContaining({ kind: 'bad_response' }));
    meter.see(end(0));
    expect(() => meter.requireFinished()).toThrow(expect.objectContaining({ kind: 'parameter_ignored', parameter: 'n' }));
    meter.see({ choices: [{ index: 1, delta: { content: 'x' }, finish_reason: null }] });
    expect(() => meter.requireFinished()).toThrow(expect.objectContaining({ kind: 'bad_response' }));
    meter.see(end(1));
    expect(() => meter.requireFinished()).not.toThrow();
  });
});
