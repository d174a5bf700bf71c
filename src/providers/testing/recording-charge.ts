import { readFileSync } from 'node:fs';
import { linesOf } from '../../common/prices/charge-lines.js';
import { partsOf } from '../../common/prices/counted-parts.js';
import { charge, formatCredits, parsePrice } from '../../common/prices/credits.js';
import type { Usage } from '../../wire/usage.js';

/** A price in which every component differs from all others. */
const price = parsePrice({
  prompt: '0.002',
  completion: '0.011',
  cached_input: '0.0003',
  cached_audio_input: '0.0007',
  cache_write_5m: '0.0029',
  cache_write_1h: '0.0041',
  audio_input: '0.019',
  image_input: '0.0013',
  reasoning_output: '0.013',
  audio_output: '0.037',
  search: 7,
});

/**
 * What each recording of the first folder is charged, by its id, or why nothing: a change of a rule shows as a
 * difference in this file.
 */
export const recordingCharges = JSON.parse(readFileSync(new URL('recording-charges.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;

/** Where there is a charge of the recording, it is this. */
export function expectCharge(id: string, charged: string): void {
  if (id in recordingCharges) expect(charged).toBe(recordingCharges[id]);
}

export const BLOCKED = 'nothing: the prompt was blocked';

export const NO_PROTOCOL = 'not read: the gateway does not speak this format';

export function chargeOfError(status: number): string {
  return `nothing: the vendor answered with the error ${status}`;
}

/** The counts that are charged, and what they come to at the price above. */
export function chargeInWords(usage: Usage | undefined): string {
  if (!usage) return 'the provider has counted nothing';
  const { prompt_tokens, completion_tokens } = usage;
  const parts = partsOf(price, [usage], { startedAt: 0 });
  const counts = linesOf(price, prompt_tokens, completion_tokens, parts).map(({ name, count }) => `${count} ${name}`);
  return [...counts, formatCredits(charge(price, prompt_tokens, completion_tokens, parts))].join(', ');
}
