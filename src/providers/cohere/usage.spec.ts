import { usageOf } from '../../wire/usage.js';
import { chargeInWords } from '../testing/recording-charge.js';
import { usageFrom } from './usage.js';

const counts = (input_tokens: unknown, output_tokens: unknown) => ({ input_tokens, output_tokens });

describe('the usage', () => {
  it('is what Cohere bills, and not what the model reads', () => {
    expect(usageFrom({ billed_units: counts(5, 10), tokens: counts(607, 13) })).toEqual(usageOf(5, 10));
    expect(usageFrom({ billed_units: counts(0, 10), tokens: counts(607, 13) })).toEqual(usageOf(0, 10));
    expect(usageFrom({ billed_units: counts(4.0, 9.5) })).toEqual(usageOf(4, 10));
  });

  it('is what the model reads and writes where nothing is billed', () => {
    expect(usageFrom({ tokens: counts(607, 13) })).toEqual(usageOf(607, 13));
    expect(usageFrom({ billed_units: counts(undefined, 7), tokens: counts(607, 13) })).toEqual(usageOf(607, 7));
  });

  it.each([
    ['none of the billed tokens', 37, 1_435, 992, undefined],
    ['none where exactly the unbilled ones are', 37, 1_435, 1_398, undefined],
    ['those beyond the unbilled ones', 400, 1_000, 960, 360],
    ['all of them', 400, 1_000, 1_000, 400],
    ['no more than are billed', 400, 1_000, 5_000, 400],
    ['all that is told where nothing is unbilled', 600, 600, 480, 480],
  ])('takes for cached %s', (_, billed, read, cached_tokens, cached) => {
    const usage = usageFrom({ billed_units: counts(billed, 1), tokens: counts(read, 1), cached_tokens });
    expect(usage?.prompt_tokens_details).toEqual(cached === undefined ? undefined : { cached_tokens: cached });
    expect(usage?.prompt_tokens).toBe(billed);
  });

  // At 2, 11 and 0.3 dollars for a million tokens: 40 x 2 + 360 x 0.3 + 20 x 11 = 408.
  it('is charged by its disjoint parts', () => {
    const usage = usageFrom({ billed_units: counts(400, 20), tokens: counts(1_000, 50), cached_tokens: 960 });
    expect(chargeInWords(usage)).toBe('40 prompt, 20 completion, 360 cached_input, 0.000408');
  });

  it.each([
    undefined,
    null,
    'x',
    {},
    { tokens: null },
    { tokens: counts(1, undefined) },
    { tokens: counts('1', 2) },
    { tokens: counts(-1, 2) },
  ])('is none where it is %j', (told) => expect(usageFrom(told)).toBeUndefined());
});
