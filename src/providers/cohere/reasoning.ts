import type { ChatBody } from './wire.js';

/** Thinking tokens at most, by the effort; deeper thinking has no limit but that of the output. */
const budgets: ReadonlyMap<string, number> = new Map([
  ['low', 2_048],
  ['medium', 8_192],
]);

/**
 * Sets how long the model thinks, from `reasoning_effort`. Models that think do so unless it is switched off.
 *
 * | reasoning_effort | thinking                  |
 * |------------------|---------------------------|
 * | none, minimal    | switched off              |
 * | low              | at most 2,048 tokens      |
 * | medium           | at most 8,192             |
 * | all others       | as long as the model does |
 */
export function setReasoning(body: ChatBody, effort: string | undefined): void {
  if (effort === undefined) return;
  if (effort === 'none' || effort === 'minimal') body.thinking = { type: 'disabled' };
  else {
    const token_budget = budgets.get(effort);
    body.thinking = { type: 'enabled', ...(token_budget !== undefined && { token_budget }) };
  }
}
