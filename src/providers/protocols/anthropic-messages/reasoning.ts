import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { isObject } from '../../../wire/json-object.js';
import { type Effort, efforts, type MessagesBody, type ThinkingSetting } from './wire.js';
import type { ModelTraits } from './model-traits.js';
import { ownOf } from '../../../wire/own-members.js';

/** The smallest budget that the vendor accepts, in tokens. */
const MIN_BUDGET = 1_024;

/**
 * Thinking tokens for each `reasoning_effort`, for models that take a budget. The budget is part of `max_tokens`, and
 * never more than half of it.
 */
const budgets: Readonly<Record<string, number>> = {
  minimal: MIN_BUDGET,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/**
 * Sets thinking as the client has written it itself, with the effort beside it where it is one of the model's words, or
 * else by `reasoning_effort`. What cannot be switched off thinks as little as the model can.
 * @param forced whether a tool must be called
 */
export function setThinking(
  body: MessagesBody,
  { reasoning_effort: effort, extra }: ChatGenerationRequest,
  traits: ModelTraits,
  forced: boolean,
  dropped: (parameter: string) => void,
): void {
  const own = extra?.['thinking'];
  if (!isObject(own)) return setReasoning(body, effort, traits, forced, dropped);
  if (own['type'] === 'disabled' && !takesThinking('disabled', traits))
    return setReasoning(body, 'none', traits, forced, () => dropped('thinking'));
  const fitting = fittingThinking(own as unknown as ThinkingSetting, body.max_tokens, dropped);
  if (fitting) body.thinking = fitting;
  const word = traits.efforts.find((each) => each === effort);
  if (word) body.output_config = { ...body.output_config, effort: word };
}

/** Whether the model takes a type of thinking. */
export function takesThinking(type: unknown, { thinking, thinkingOff }: ModelTraits): boolean {
  if (type === 'adaptive') return thinking === 'adaptive' || thinking === 'both';
  if (type === 'enabled') return thinking === 'budget' || thinking === 'both';
  return type === thinkingOff || (type === 'disabled' && thinkingOff === 'absent');
}

/**
 * Sets the depth of thinking from `reasoning_effort`. A word that the model does not know becomes the next shallower
 * one; what cannot be honoured is reported as dropped.
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
 * @param forced whether a tool must be called, beside which the vendor refuses a thinking setting
 */
function setReasoning(
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

/**
 * A setting of thinking that the client has written itself. A budget that does not fit into `max_tokens` is refused by
 * the vendor: where they were lowered, it becomes half of them.
 * @param maxTokens of the answer, its thinking included
 * @returns undefined where they leave no room for thinking
 */
export function fittingThinking(
  thinking: ThinkingSetting,
  maxTokens: number,
  dropped: (parameter: string) => void,
): ThinkingSetting | undefined {
  if (thinking.type !== 'enabled' || !(thinking.budget_tokens >= maxTokens)) return thinking;
  dropped('thinking');
  const budget = Math.floor(maxTokens / 2);
  return budget < MIN_BUDGET ? undefined : { ...thinking, budget_tokens: budget };
}

function think(body: MessagesBody, effort: string, traits: ModelTraits, forced: boolean): boolean {
  if (traits.thinking === 'none') return false;
  if (traits.thinking === 'budget') {
    const budget = Math.min(ownOf(budgets, effort) ?? 0, Math.floor(body.max_tokens / 2));
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
