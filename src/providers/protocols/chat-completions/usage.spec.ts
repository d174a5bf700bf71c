import fc from 'fast-check';
import { countedSoFar, usageFrom } from './usage.js';

describe('usageFrom', () => {
  it.each([
    [{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }, [3, 4, 7]],
    [{ prompt_tokens: 3, completion_tokens: 4 }, [3, 4, 7]],
    [{ prompt_tokens: 12, total_tokens: 20 }, [12, 8, 20]],
    [{ prompt_tokens: 3, completion_tokens: 4.2 }, [3, 5, 8]],
    [{ prompt_tokens: 3, completion_tokens: 4, total_tokens: -7 }, [3, 4, 7]],
    [{ prompt_tokens: 3, completion_tokens: -4, total_tokens: 7 }, [3, 4, 7]],
    [{ completion_tokens: 4, total_tokens: 7 }, [3, 4, 7]],
    [{ prompt_tokens: '3', completion_tokens: 4, total_tokens: 7 }, [3, 4, 7]],
  ])('%j', (value, [prompt_tokens, completion_tokens, total_tokens]) =>
    expect(usageFrom(value)).toEqual({ prompt_tokens, completion_tokens, total_tokens }),
  );

  it.each([
    { prompt_tokens: -3, completion_tokens: 4 },
    { prompt_tokens: 3, completion_tokens: -4 },
  ])('takes %j for not told', (value) => expect(usageFrom(value)).toBeUndefined());

  it.each([undefined, null, '5'])('takes a total without a prompt (%j) for no prompt', (prompt_tokens) =>
    expect(countedSoFar({ prompt_tokens, total_tokens: 50 })).toEqual({ total_tokens: 50 }),
  );

  it('adds a cache that is counted beside the prompt, as the total says', () => {
    const usage = usageFrom({
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 52_150,
      cache_read_input_tokens: 50_000,
      cache_creation_input_tokens: 2_000,
      cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 1_500 },
    });
    expect(usage).toMatchObject({
      prompt_tokens: 52_100,
      completion_tokens: 50,
      prompt_tokens_details: {
        cached_tokens: 50_000,
        cache_creation_tokens: 2_000,
        cache_creation_token_details: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 1_500 },
      },
    });
  });

  it.each([
    [null],
    [undefined],
    [{}],
    [{ prompt_tokens: 3 }],
    [{ completion_tokens: 3 }],
    [{ prompt_tokens: '3', completion_tokens: 4 }],
    [[]],
  ])('%j tells nothing', (value) => expect(usageFrom(value)).toBeUndefined());

  it('keeps the details that the wire format knows', () => {
    const usage = usageFrom({
      prompt_tokens: 9,
      completion_tokens: 5,
      cost: 1,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2, text_tokens: 9, audio_tokens: null },
      completion_tokens_details: { reasoning_tokens: 3, text_tokens: 0 },
    });
    expect(usage).toEqual({
      prompt_tokens: 9,
      completion_tokens: 5,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 4, cache_creation_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 3 },
    });
    expect(usageFrom({ prompt_tokens: 9, completion_tokens: 5, prompt_cache_hit_tokens: 7 })?.prompt_tokens_details).toEqual({
      cached_tokens: 7,
    });
  });

  it('never gives anything but counts that add up', () => {
    const number = fc.oneof(fc.integer(), fc.double(), fc.constant(null), fc.string());
    fc.assert(
      fc.property(fc.record({ prompt_tokens: number, completion_tokens: number, total_tokens: number }), (value) => {
        const usage = usageFrom(value);
        if (!usage) return;
        const { completion_tokens_details: details, contradictory: _contradictory, ...totals } = usage;
        for (const count of Object.values(totals)) expect(count).toBeGreaterThanOrEqual(0);
        expect(details?.unexplained_tokens ?? 0).toBeLessThanOrEqual(usage.completion_tokens);
        expect(usage.prompt_tokens + usage.completion_tokens).toBe(usage.total_tokens);
        expect(Object.values(totals).every(Number.isSafeInteger)).toBe(true);
      }),
    );
  });
});
