import { CustomCalls } from '../inference/chunks/custom-calls.js';
import type { ClientDelta, ClientFinishReason, CustomToolCallDelta, Delta, FinishReason, ToolCallDelta } from '../wire/chat-completion.js';
import type { CreateChatCompletionDto } from './create-chat-completion.dto.js';

/** @returns undefined where the client gets calls as the canonical form has them */
export function clientCallsOf({ tools, functions }: CreateChatCompletionDto): ClientCalls | undefined {
  if (functions?.length) return new ClientCalls(undefined);
  const custom = tools?.flatMap((tool) => (tool.type === 'custom' ? [tool.custom.name] : []));
  return custom?.length ? new ClientCalls(new CustomCalls(new Set(custom))) : undefined;
}

/**
 * Tells the calls of one answer in the words in which the client has declared its tools: as calls of custom tools, or
 * in those of the format before tools, which has one call at most.
 */
export class ClientCalls {
  /** @param custom absent for the format before tools */
  constructor(private readonly custom: CustomCalls | undefined) {}

  /** @returns undefined where nothing of the delta is left */
  delta(choice: number, delta: Delta): ClientDelta | undefined {
    const { tool_calls: calls, ...more } = delta;
    if (!calls) return delta;
    const told: ClientDelta = this.custom ? { ...more, ...customDelta(this.custom, choice, calls) } : { ...more, ...legacyDelta(calls) };
    return Object.keys(told).length > 0 ? told : undefined;
  }

  /** What is left to say before the choice ends. */
  end(choice: number): ClientDelta | undefined {
    const left = this.custom?.end(choice) ?? [];
    return left.length > 0 ? { tool_calls: left } : undefined;
  }

  reason(reason: FinishReason): ClientFinishReason {
    return !this.custom && reason === 'tool_calls' ? 'function_call' : reason;
  }
}

function customDelta(custom: CustomCalls, choice: number, calls: readonly ToolCallDelta[]): Pick<ClientDelta, 'tool_calls'> {
  const told: (ToolCallDelta | CustomToolCallDelta)[] = [];
  for (const call of calls) {
    const own = custom.read(choice, call);
    if (!own) told.push(call);
    else if (own.type !== undefined || own.custom.input !== '') told.push(own);
  }
  return told.length > 0 ? { tool_calls: told } : {};
}

function legacyDelta(calls: readonly ToolCallDelta[]): Pick<ClientDelta, 'function_call'> {
  const first = calls.find(({ index }) => index === 0)?.function;
  return first ? { function_call: first } : {};
}
