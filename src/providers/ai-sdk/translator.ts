import type { Delta } from '../../wire/chat-completion.js';
import type { GenerationChunk } from '../../wire/generation.js';
import { requireWithin } from '../translation/answer-limits.js';
import { callId } from '../protocols/call-id.js';
import { ProviderError } from '../contract/provider-error.js';
import { annotationOf, annotationsOf } from './annotations.js';
import { finishReasonFrom } from './finish-reason.js';
import { BETWEEN_BLOCKS, type ReasoningBlock, signedOf } from './signatures.js';
import { usageFrom } from './usage.js';
import { reportWarnings } from './warnings.js';
import type { StreamPart } from './wire.js';

/** A tool call of the answer, and how much of its arguments has gone out. */
interface OpenCall {
  readonly index: number;
  said: boolean;
}

/**
 * Translates the parts of one answer to chunks. What the wire format has no place for is refused: a tool that the
 * vendor runs, of which the gateway does not know the price, a file, a part of a vendor's own kind.
 */
export class PartTranslator {
  readonly #dropped: (parameter: string) => void;
  readonly #failed: (error: unknown) => ProviderError;
  /** Those that have not been told as a whole, by their ids: some vendors give several calls the same, or an empty one. */
  readonly #calls = new Map<string, OpenCall[]>();
  #called = 0;
  #role: 'assistant' | undefined = 'assistant';
  readonly #blocks: ReasoningBlock[] = [];
  #reasoned = false;
  #ended = false;

  /** @param failed makes the error of an error part */
  constructor(dropped: (parameter: string) => void, failed: (error: unknown) => ProviderError) {
    this.#dropped = dropped;
    this.#failed = failed;
  }

  /** True after the part that ends an answer. */
  get ended(): boolean {
    return this.#ended;
  }

  /**
   * @returns undefined where the part has nothing for the client
   * @throws ProviderError
   */
  chunk(part: StreamPart): GenerationChunk | undefined {
    switch (part.type) {
      case 'text-delta':
        return part.delta === '' ? undefined : this.#says({ content: part.delta });
      case 'text-end': {
        const annotations = 'citations' in part ? annotationsOf(part.citations) : [];
        return annotations.length === 0 ? undefined : this.#says({ annotations });
      }
      case 'reasoning-start':
        requireWithin(this.#blocks.push({ length: 0 }), 'blocks of reasoning');
        this.#proves(part.providerMetadata);
        return undefined;
      case 'reasoning-delta':
        this.#proves(part.providerMetadata);
        return part.delta === '' ? undefined : this.#reasons(part.delta);
      case 'reasoning-end':
        this.#proves(part.providerMetadata);
        return undefined;
      case 'tool-input-start':
        if (part.providerExecuted) throw hosted(part.toolName);
        if ('inputEncoding' in part && part.inputEncoding === 'text') throw unknown(`a call of ${part.toolName} that is not JSON`);
        return this.#begins(part.id, part.toolName, '');
      case 'tool-input-delta':
        return this.#argues(this.#calls.get(part.id)?.at(-1), part.delta);
      case 'tool-call': {
        if (part.providerExecuted) throw hosted(part.toolName);
        const signed = signedOf(part.providerMetadata);
        const call = this.#calls.get(part.toolCallId)?.shift();
        if (call) return this.#argues(call, call.said ? '' : part.input, signed);
        const chunk = this.#begins(part.toolCallId, part.toolName, part.input, signed);
        this.#calls.get(part.toolCallId)!.pop();
        return chunk;
      }
      case 'source': {
        const annotation = annotationOf(part);
        return annotation && this.#says({ annotations: [annotation] });
      }
      case 'tool-result':
        throw hosted(part.toolName);
      case 'tool-approval-request':
        throw hosted('of its own');
      case 'file':
      case 'reasoning-file':
        throw unknown(`a file (${part.mediaType})`);
      case 'custom':
        throw unknown(`a part of the kind ${part.kind}`);
      case 'error':
        throw this.#failed(part.error);
      case 'stream-start':
        reportWarnings(part.warnings, this.#dropped);
        return undefined;
      case 'finish':
        this.#ended = true;
        return {
          choices: [{ index: 0, delta: this.#delta(this.#proofs()), finish_reason: finishReasonFrom(part.finishReason, this.#called > 0) }],
          usage: usageFrom(part.usage, part.providerMetadata),
        };
      case 'ping':
        return { choices: [] };
      case 'text-start':
      case 'tool-input-end':
      case 'response-metadata':
      // The vendor's own event, which is not asked for.
      case 'raw':
        return undefined;
      default:
        throw unknown(`a part of the type ${String((part satisfies never as { type: unknown }).type).slice(0, 100)}`);
    }
  }

  #reasons(text: string): GenerationChunk {
    const block = this.#blocks.at(-1);
    const between = this.#reasoned && block?.length === 0 ? BETWEEN_BLOCKS : '';
    if (block) block.length += text.length;
    this.#reasoned = true;
    return this.#says({ reasoning_content: between + text });
  }

  #proves(metadata: unknown): void {
    const signed = signedOf(metadata);
    const block = this.#blocks.at(-1);
    if (signed && block) block.signed = signed;
  }

  /** The blocks of reasoning and their proofs, once none can follow. */
  #proofs(): Delta {
    return this.#blocks.some(({ signed }) => signed) ? { extra_content: { ai_sdk: { reasoning: this.#blocks } } } : {};
  }

  #begins(id: string, name: string, input: string, signed?: object): GenerationChunk {
    const index = this.#called++;
    requireWithin(this.#called, 'tool calls');
    const begun = { index, said: input !== '' };
    this.#calls.set(id, [...(this.#calls.get(id) ?? []), begun]);
    return this.#says({
      tool_calls: [{ index, id: callId(id), type: 'function', function: { name, arguments: input }, ...proof(signed) }],
    });
  }

  #argues(call: OpenCall | undefined, text: string, signed?: object): GenerationChunk | undefined {
    if (!call) throw new ProviderError('bad_response', 'The package tells arguments of a tool call that it has not begun');
    if (text === '' && !signed) return undefined;
    call.said ||= text !== '';
    return this.#says({ tool_calls: [{ index: call.index, function: { arguments: text }, ...proof(signed) }] });
  }

  #says(delta: Delta): GenerationChunk {
    return { choices: [{ index: 0, delta: this.#delta(delta), finish_reason: null }] };
  }

  #delta(delta: Delta): Delta {
    if (this.#role === undefined) return delta;
    this.#role = undefined;
    return { role: 'assistant', ...delta };
  }
}

function proof(signed: object | undefined): { extra_content?: unknown } {
  return signed ? { extra_content: { ai_sdk: signed } } : {};
}

function hosted(tool: string): ProviderError {
  const name = tool.slice(0, 100);
  return new ProviderError('bad_response', `The vendor ran a tool (${name}), which the gateway has no price for: switch it off in options`);
}

function unknown(what: string): ProviderError {
  return new ProviderError('bad_response', `The model answered with ${what.slice(0, 200)}, which the wire format has no place for`);
}
