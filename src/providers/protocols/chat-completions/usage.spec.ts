import fc from 'fast-check';
import { usageFrom } from './usage.js';

describe('usageFrom', () => {
  it.each([
    [{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }, [3, 4, 7]],
    [{ prompt_tokens: 3, completion_tokens: 4 }, [3, 4, 7]],
    [{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 5 }, [3, 4, 7]],
    [{ prompt_tokens: 12, completion_tokens: 1, total_tokens: 241 }, [12, 229, 241]],
    [{ prompt_tokens: 12, total_tokens: 20 }, [12, 8, 20]],
    [{ prompt_tokens: -3, completion_tokens: 4.2 }, [0, 5, 5]],
  ])('%j', (value, [prompt_tokens, completion_tokens, total_tokens]) =>
    expect(usageFrom(value)).toEqual({ prompt_tokens, completion_tokens, total_tokens }),
  );

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
      completion_tokens_details: { reasoning_tokens: 3, image_tokens: 0 },
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
        for (const count of Object.values(usage)) expect(count).toBeGreaterThanOrEqual(0);
        expect(usage.prompt_tokens + usage.completion_tokens).toBe(usage.total_tokens);
        expect(Object.values(usage).every(Number.isSafeInteger)).toBe(true);
      }),
    );
  });
});
