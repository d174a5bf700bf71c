import type { InferenceRequest } from '../../wire/generation.js';

/** Parameters beyond the wire format that switch reasoning on, or say how long it may be. */
const switches = ['reasoning', 'thinking', 'think', 'enable_thinking', 'thinking_budget', 'chat_template_kwargs'] as const;

/** Whether a request, as it goes to a provider, may make a model reason that otherwise answers at once. */
export function asksForReasoning(request: InferenceRequest): boolean {
  const { extra } = request;
  if (request.operation === 'chat' && request.reasoning_effort !== undefined && request.reasoning_effort !== 'none') return true;
  return extra !== undefined && switches.some((name) => extra[name] != null && extra[name] !== false);
}
