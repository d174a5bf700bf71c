import { copyWith } from '../../wire/members.js';
import { isProviderError } from '../../providers/contract/provider-error.js';
import type { FinishReason } from '../../wire/chat-completion.js';
import {
  type ChatGenerationRequest,
  type GenerationChoice,
  type GenerationChunk,
  type InferenceRequest,
  isOverInputs,
} from '../../wire/generation.js';
import { kindRules } from '../attempts/provider-error.mapping.js';
import type { AdmittedRequest, GenerationPlan } from '../routing/generation-plan.js';
import type { UpstreamCall } from '../planning/upstream-call.js';
import type { Route } from '../routing/router.service.js';
import type { GenerationMeter } from './generation-meter.js';

/** The text that the client has received so far, of a completion with one choice. */
export class DeliveredText {
  text = '';
  /** False once something came that is not text and that text cannot continue: a tool call, reasoning, a refusal. */
  plain = true;
  #cutAt = 0;

  /** Whether text has come since the stream was cut. */
  get goesOn(): boolean {
    return this.text.length > this.#cutAt;
  }

  cut(): void {
    this.#cutAt = this.text.length;
  }

  see({ choices }: GenerationChunk): void {
    for (const { text, delta } of choices) {
      if (text) this.text += text;
      if (!delta) continue;
      for (const [field, value] of Object.entries(delta)) {
        if (field === 'content' && typeof value === 'string') this.text += value;
        else if (field === 'hosted_items' && delta.hosted_items?.every(({ item }) => (item?.type ?? 'message') === 'message')) continue;
        else if (field !== 'role' && value !== null && value !== undefined && value !== '') this.plain = false;
      }
    }
  }
}

/** Whether another offer could continue a generation by this plan, if its stream were cut. */
export function mayContinue({ config, stream, routes }: GenerationPlan): boolean {
  return config.routing.resume && stream && routes.length > 1 && routes.every(({ calls }) => calls.length === 1 && isPlain(calls[0]!));
}

/** Whether a call asks for one choice of text only, without log probabilities, tools or a format. */
function isPlain({ request, echo }: UpstreamCall): boolean {
  if (request.n !== 1 || isOverInputs(request)) return false;
  if (request.operation === 'completion') return !request.echo && echo === undefined && request.logprobs === undefined;
  const { tools, response_format, logprobs } = request;
  return !tools?.length && !logprobs && (!response_format || response_format.type === 'text');
}

/**
 * What is missing after a stream was cut: nothing, only the returned finish reason, or text for which the returned
 * routes are to be asked. None of them has been cut before.
 * @returns undefined where no offer can continue the text exactly
 */
export function missingOf(
  cut: unknown,
  { plan, hold }: AdmittedRequest,
  meter: GenerationMeter,
  { text, plain }: DeliveredText,
): 'nothing' | FinishReason | readonly Route[] | undefined {
  const { route: last, meters } = meter.last!;
  if (!isProviderError(cut) || !kindRules[cut.kind].next || last.simulated) return undefined;
  if (plan.operation === 'completion' && last.offer.completionsViaChat) return undefined;
  if (meters.some(({ finishReasons }) => finishReasons.length > 0)) return 'nothing';
  const [{ endedBy } = {}] = meters;
  if (endedBy) return endedBy;
  if (!plain || !isContinuable(text, last.calls[0]!.request.stop)) return undefined;
  const maxTokens = (plan.requestedTokens ?? hold.maxTokens) - meter.completionTokens;
  if (maxTokens < 1) return 'length';
  const others = plan.routes
    .filter(({ offer }) => !meter.has(offer))
    .map((route) => continued(route, text, maxTokens, plan.requestedTokens !== undefined))
    .filter((route) => route !== undefined);
  return others.length > 0 ? others : undefined;
}

/** The last chunk of a stream that was cut after all of its text had come. */
export function endOf({ operation }: GenerationPlan, finish_reason: FinishReason): GenerationChunk {
  const content = operation === 'chat' ? { delta: {} } : { text: '' };
  return { choices: [{ index: 0, ...content, finish_reason }] };
}

/**
 * Whether another offer can continue exactly this text: not where it ends within a character or a possible stop
 * sequence.
 */
export function isContinuable(text: string, stop: readonly string[] = []): boolean {
  if (text === '' || !text.isWellFormed()) return false;
  return stop.every((sequence) => {
    for (let length = sequence.length - 1; length > 0; length--) if (text.endsWith(sequence.slice(0, length))) return false;
    return true;
  });
}

/**
 * The route with the text so far behind its prompt.
 * @param maxTokens number of tokens that may still be generated
 * @param limited whether the client has set max_tokens
 * @returns undefined where the offer cannot continue the text exactly
 */
function continued(route: Route, text: string, maxTokens: number, limited: boolean): Route | undefined {
  const [planned] = route.calls;
  const { offer } = route;
  if (!planned) return undefined;
  const { request, promptBytes, promptBound } = planned;
  // The limit of this offer may be lower than what the client has asked for.
  const rest = copyWith(request, { max_tokens: limited || maxTokens < offer.maxTokens ? Math.min(maxTokens, offer.maxTokens) : undefined });
  const longer = lengthened(rest, text, route);
  const bytes = Buffer.byteLength(text);
  return (
    longer && { ...route, calls: [{ ...planned, request: longer, promptBytes: promptBytes + bytes, promptBound: promptBound + bytes }] }
  );
}

function lengthened(request: InferenceRequest, text: string, { offer }: Route): InferenceRequest | undefined {
  if (isOverInputs(request)) return undefined;
  if (request.operation === 'completion') {
    const { prompt } = request;
    return offer.completionsViaChat || typeof prompt !== 'string' ? undefined : copyWith(request, { prompt: prompt + text });
  }
  return offer.continues ? withAnswer(request, text) : undefined;
}

function withAnswer(request: ChatGenerationRequest, text: string): ChatGenerationRequest {
  return { ...request, messages: [...request.messages, { role: 'assistant', content: text }], native: undefined };
}

/**
 * What the client gets of a provider that continues a stream. The client has the role and an open text: until that text
 * continues, reasoning and new items are left out.
 * @param goesOn whether the text has continued
 * @returns undefined where the chunk has nothing else
 */
export function withoutBeginning(chunk: GenerationChunk, goesOn: boolean): GenerationChunk | undefined {
  const isBeginning = (name: string): boolean => name === 'role' || (!goesOn && beginnings.has(name));
  if (chunk.choices.every(({ delta = {} }) => !Object.keys(delta).some(isBeginning))) return chunk;
  const choices = chunk.choices.map(({ delta = {}, ...choice }): GenerationChoice => ({
    ...choice,
    delta: Object.fromEntries(Object.entries(delta).filter(([name]) => !isBeginning(name))),
  }));
  const empty = choices.every(({ delta, finish_reason }) => finish_reason === null && Object.values(delta ?? {}).every((value) => !value));
  return empty ? undefined : { ...chunk, run: undefined, choices };
}

const beginnings: ReadonlySet<string> = new Set(['reasoning_content', 'reasoning_details', 'thinking_blocks', 'hosted_items']);
