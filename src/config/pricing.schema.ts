import * as z from 'zod';
import { isStandardTier, serviceTierName } from '../wire/service-tier.js';
import { weekdays } from '../wire/weekday.js';
import type { Component } from '../wire/price-component.js';

/** So that what a request costs stays far below 64 bits of nano-credits, whatever its tokens come to. */
const MAX_PRICE = 1_000_000;

const decimalPrice = z
  .union([z.number().nonnegative(), z.string().regex(/^\d+(\.\d{1,9})?$/)])
  .refine((price) => decimals(price) <= 9, 'has more than 9 decimals')
  .refine((price) => Number(price) <= MAX_PRICE, `must be at most ${MAX_PRICE} credits per 1,000`)
  .describe('Credits per 1,000 tokens, at most 9 decimals.');

const told = (what: string) => decimalPrice.optional().describe(what);

const components = {
  cached_input: told('Tokens of the prompt that were read from a cache; absent: as prompt.'),
  cached_audio_input: told('Those of them that are audio; absent: as audio_input, or else cached_input.'),
  cache_write_5m: told('Tokens that were written to a cache; absent: cache_control is not passed on.'),
  cache_write_1h: told('Those of them that are kept for an hour; absent: a cache_control that asks for it is not passed on.'),
  file_input: told('Tokens of files; absent: as prompt.'),
  image_input: told('Tokens of images; absent: as prompt.'),
  video_input: told('Tokens of videos; absent: as image_input, or else prompt.'),
  audio_input: told('Tokens of audio; absent: as prompt.'),
  reasoning_output: told('Tokens of reasoning; absent: as completion.'),
  citation_output: told('Tokens of sources, where the vendor counts them; absent: as completion.'),
  image_output: told('Tokens of images in the answer; absent: as completion.'),
  audio_output: told('Tokens of audio in the answer; absent: as completion.'),
  request: told('Credits per 1,000 requests, beside the tokens.'),
  search: told('Credits per 1,000 searches of the provider, beside the tokens.'),
  hosted_call: told('Credits per 1,000 other calls of tools that run at the provider.'),
} satisfies Record<Component, unknown>;

const tierSchema = z.strictObject({
  above: z.int().min(1).describe('Requests whose prompt has more tokens cost this.'),
  beyond: z.boolean().optional().describe('true: only the tokens of the prompt beyond `above` do, instead of all tokens.'),
  prompt: decimalPrice.optional(),
  completion: decimalPrice.optional(),
  ...components,
});

const tiersSchema = z
  .array(tierSchema)
  .max(10)
  .refine((tiers) => new Set(tiers.map(({ above }) => above)).size === tiers.length, 'two tiers begin at the same number of tokens')
  .optional();

const level = {
  prompt: decimalPrice.optional(),
  completion: decimalPrice.optional(),
  ...components,
  tiers: tiersSchema.describe('Absent: those beside it, each at its own price or at this one, whichever is dearer.'),
};

const hoursSchema = z
  .strictObject({
    from: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
      .describe('The first minute, HH:MM in UTC.'),
    to: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/)
      .describe('The end; before `from`: on the next day.'),
    days: z.array(z.enum(weekdays)).min(1).optional().describe('The days on which they begin; absent: every day.'),
    ...level,
  })
  .refine(({ from, to }) => from !== to, 'the hours end when they begin');

/** A price by components. What a tier, a service tier or hours do not name costs what it costs without them. */
export const pricingSchema = z.strictObject({
  prompt: decimalPrice,
  completion: decimalPrice,
  ...components,
  tiers: tiersSchema.describe('Prices of long prompts.'),
  service_tiers: z
    .record(z.string().regex(serviceTierName), z.strictObject(level))
    .refine((tiers) => Object.keys(tiers).length <= 10, 'more than 10 service tiers')
    .refine((tiers) => !Object.keys(tiers).some(isStandardTier), 'the standard tier is the price itself')
    .optional()
    .describe('Prices at service tiers, by the name that the vendor gives them. A request may ask for these alone.'),
  hours: z
    .array(hoursSchema)
    .max(10)
    .refine(
      (rows) => new Set(rows.map(windowOf)).size === rows.length,
      'has two rows for the same hours of the same days, of which one price would never count',
    )
    .optional()
    .describe('Prices of requests that begin at these hours. The last that apply count.'),
});

function windowOf({ from, to, days }: z.infer<typeof hoursSchema>): string {
  return `${from}-${to} ${days?.toSorted().join(',') ?? ''}`;
}

/** Places behind the point, as JavaScript prints the number: 1.5e-9 has 10. */
function decimals(price: number | string): number {
  const [digits = '', exponent = '0'] = String(price).split('e');
  return (digits.split('.')[1]?.length ?? 0) - Number(exponent);
}
