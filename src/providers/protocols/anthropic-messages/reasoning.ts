import { type Effort, efforts, type MessagesBody } from './wire.js';
import type { ModelTraits } from './model-traits.js';

/** Tokens; the least that the vendor takes. */
const MIN_BUDGET = 1_024;

/** `reasoning_effort` as tokens of thinking, for models that take a budget; never more than half of `max_tokens`, which it is part of. */
const budgets: Readonly<Record<string, number>> = {
  minimal: MIN_BUDGET,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/**
 * Sets the depth of thinking from `reasoning_effort`. A word that the model lacks becomes the nearest shallower one; what cannot be honoured is named.
 *
 * | reasoning_effort | adaptive models           | models with a budget |
 * |------------------|---------------------------|----------------------|
 * | none             | thinking off              | no thinking          |
 * | minimal          | effort low                | 1,024 tokens         |
 * | low              | effort low                | 2,048                |
 * | medium           | effort medium             | 8,192                |
 * | high             | effort high               | 16,384               |
 * | xhigh, max       | effort xhigh, max         | 32,768               |
 *
 * @param forced a tool must be called, which the vendor refuses beside a thinking setting.
 */
export function setReasoning(
  body: MessagesBody,
  effort: string | undefined,
  traits: ModelTraits,
  forced: boolean,
  dropped: (parameter: string) => void,
): void {
  if (effort === undefined) return;
  const honoured = effort === 'none' ? switchOff(body, traits) : think(body, effort, traits, forced);
  if (!honoured) dropped('reasoning_effort');
}

function think(body: MessagesBody, effort: string, traits: ModelTraits, forced: boolean): boolean {
  if (traits.thinking === 'none') return false;
  if (traits.thinking === 'budget') {
    const budget = Math.min(budgets[effort] ?? 0, Math.floor(body.max_tokens / 2));
    if (forced || budget < MIN_BUDGET) return false;
    body.thinking = { type: 'enabled', budget_tokens: budget };
    return true;
  }
  const wanted = effort === 'minimal' ? 0 : efforts.indexOf(effort as Effort);
  const word = traits.efforts.findLast((candidate) => efforts.indexOf(candidate) <= wanted);
  if (!word) return false;
  body.output_config = { ...body.output_config, effort: word };
  if (!forced) body.thinking = { type: 'adaptive', display: 'summarized' };
  return true;
}

function switchOff(body: MessagesBody, { thinkingOff, efforts: taken }: ModelTraits): boolean {
  if (thinkingOff === 'disabled' || thinkingOff === 'between_tools') body.thinking = { type: thinkingOff };
  const [shallowest] = taken;
  if (thinkingOff === 'never' && shallowest) body.output_config = { ...body.output_config, effort: shallowest };
  return thinkingOff !== 'never';
}
