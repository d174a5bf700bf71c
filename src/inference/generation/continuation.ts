import { isProviderError } from '../../providers/provider-error.js';
import type { GenerationChoice, GenerationChunk, GenerationRequest } from '../../wire/generation.js';
import type { GenerationMeter } from './generation-meter.js';
import type { AdmittedRequest } from '../attempts/attempts.service.js';
import type { GenerationPlan } from '../planning/generation-plan.js';
import type { UpstreamCall } from '../planning/plan-calls.js';
import { kindRules } from '../attempts/provider-error.mapping.js';
import type { Route } from '../routing/router.service.js';

/** What the client has been given so far of an answer of one choice. */
export class DeliveredText {
  text = '';
  /** False once something came that text alone cannot continue: a tool call, reasoning, a refusal. */
  plain = true;

  see({ choices }: GenerationChunk): void {
    for (const { text, delta } of choices) {
      if (text) this.text += text;
      if (!delta) continue;
      for (const [field, value] of Object.entries(delta)) {
        if (field === 'content' && typeof value === 'string') this.text += value;
        else if (field !== 'role' && value !== null && value !== undefined && value !== '') this.plain = false;
      }
    }
  }
}

/** Whether an answer by this plan could go on at another offer, if its stream were cut. */
export function mayContinue({ config, stream, routes }: GenerationPlan): boolean {
  return config.routing.resume && stream && routes.length > 1 && routes.every(({ calls }) => calls.length === 1 && isPlain(calls[0]!));
}

/** One choice of text and nothing about it. */
function isPlain({ request, echo }: UpstreamCall): boolean {
  if (request.n !== 1) return false;
  if (request.operation === 'completion') return !request.echo && echo === undefined && request.logprobs === undefined;
  const { tools, response_format, logprobs } = request;
  return !tools?.length && !logprobs && (!response_format || response_format.type === 'text');
}

/**
 * What an answer lacks whose stream was cut: nothing, its end alone, or what these routes are to be asked for, none of which has been cut before.
 * Undefined where nobody can go on exactly.
 */
export function missingOf(
  cut: unknown,
  { plan, hold }: AdmittedRequest,
  parts: GenerationMeter,
  { text, plain }: DeliveredText,
): 'nothing' | 'end' | readonly Route[] | undefined {
  const { route: last, meters } = parts.last!;
  if (!isProviderError(cut) || !kindRules[cut.kind].next || last.simulated || last.offer.completionsViaChat) return undefined;
  if (meters.some((meter) => meter.finishReasons.length > 0)) return 'nothing';
  if (!plain || !isContinuable(text, last.calls[0]!.request.stop)) return undefined;
  const maxTokens = (plan.asked ?? hold.maxTokens) - parts.completionTokens;
  if (maxTokens < 1) return 'end';
  const others = plan.routes
    .filter(({ offer }) => !parts.has(offer))
    .map((route) => continued(route, text, maxTokens, plan.asked !== undefined))
    .filter((route) => route !== undefined);
  return others.length > 0 ? others : undefined;
}

/** Of an answer of which all tokens that were asked for had come when its stream was cut. */
export function endAtLimit({ operation }: GenerationPlan): GenerationChunk {
  const said = operation === 'chat' ? { delta: {} } : { text: '' };
  return { choices: [{ index: 0, ...said, finish_reason: 'length' }] };
}

/** Whether these are the words that the next offer would have to go on from: not when they end within a character, or in what may become a stop sequence. */
export function isContinuable(text: string, stop: readonly string[] = []): boolean {
  if (text === '' || !text.isWellFormed()) return false;
  return stop.every((sequence) => {
    for (let length = sequence.length - 1; length > 0; length--) if (text.endsWith(sequence.slice(0, length))) return false;
    return true;
  });
}

/**
 * The route with the answer so far behind its prompt; undefined where its offer cannot go on from there exactly.
 * @param maxTokens that may still be generated
 * @param named the client has named a limit
 */
export function continued(route: Route, text: string, maxTokens: number, named: boolean): Route | undefined {
  const [planned] = route.calls;
  const { offer } = route;
  if (!planned) return undefined;
  const { request, promptBytes, promptBound } = planned;
  const limited = { ...request, max_tokens: named || maxTokens < offer.maxTokens ? maxTokens : undefined };
  const longer = lengthened(limited, text, route);
  const bytes = Buffer.byteLength(text);
  return (
    longer && { ...route, calls: [{ ...planned, request: longer, promptBytes: promptBytes + bytes, promptBound: promptBound + bytes }] }
  );
}

function lengthened(request: GenerationRequest, text: string, { offer }: Route): GenerationRequest | undefined {
  if (request.operation === 'completion') return offer.completionsViaChat ? undefined : { ...request, prompt: request.prompt + text };
  return offer.continues ? { ...request, messages: [...request.messages, { role: 'assistant', content: text }] } : undefined;
}

/** An answer has one beginning: the role that the next provider begins with is left out. Undefined where nothing else was said. */
export function withoutBeginning(chunk: GenerationChunk): GenerationChunk | undefined {
  if (chunk.choices.every(({ delta }) => delta?.role === undefined)) return chunk;
  const choices = chunk.choices.map(({ delta, ...choice }): GenerationChoice => {
    const { role: _role, ...said } = delta ?? {};
    return { ...choice, delta: said };
  });
  const silent = choices.every(({ delta, finish_reason }) => finish_reason === null && Object.values(delta ?? {}).every((value) => !value));
  return silent ? undefined : { ...chunk, run: undefined, choices };
}
