import type { GenerationRequest } from '../../wire/generation.js';
import { isObject, type JsonObject } from '../../wire/json-object.js';
import type { ProviderCall } from './model-provider.js';

/** Members of messages that a vendor signs or encrypts, that a tool has failed, and what a text cites. */
export type ProofMember = 'thinking_blocks' | 'reasoning_details' | 'extra_content' | 'is_error' | 'citations';

/** Of citations that a client carries back. */
export const CITED = 'messages.content.text.citations';

const proofs = {
  thinking: 'thinking.signature',
  redacted: 'redacted_thinking.data',
  encrypted: 'reasoning.encrypted_content',
  details: 'reasoning_details',
  extra: 'extra_content',
  thought: 'input.reasoning',
  failed: 'messages.content.is_error',
  cited: CITED,
} as const;

/** What `reportProofs` reports. These are no parameters: strict operators do not refuse a request without them. */
export const proofNames: ReadonlySet<string> = new Set(Object.values(proofs));

/**
 * Reports the signatures, encrypted reasoning, failures of tools and citations that a client carries back, and that the
 * vendor does not take.
 * @param takes absent: it takes none
 */
export function reportProofs(
  request: GenerationRequest,
  call: Pick<ProviderCall, 'dropped'>,
  takes: (proof: JsonObject, member: ProofMember) => boolean = () => false,
): void {
  if (request.operation !== 'chat') return;
  if (request.native?.cited && !takes({}, 'citations')) call.dropped(CITED);
  const report = (proof: unknown, member: ProofMember): void => {
    if (isObject(proof) && !takes(proof, member)) call.dropped(nameOf(proof, member));
  };
  for (const message of request.messages)
    if (message.role === 'assistant') {
      const { thinking_blocks: blocks, reasoning_details: details, extra_content: extra, tool_calls: calls } = message;
      if (Array.isArray(blocks)) for (const block of blocks as unknown[]) report(block, 'thinking_blocks');
      if (Array.isArray(details)) for (const detail of details as unknown[]) report(detail, 'reasoning_details');
      report(extra, 'extra_content');
      if (calls) for (const { extra_content } of calls) report(extra_content, 'extra_content');
    } else if (message.is_error === true && !takes({}, 'is_error')) call.dropped(proofs.failed);
}

function nameOf({ type, wire }: JsonObject, member: ProofMember): string {
  if (member !== 'thinking_blocks') return proofs[member === 'extra_content' ? 'extra' : 'details'];
  if (wire === 'openai-responses') return proofs.encrypted;
  return type === 'thinking' ? proofs.thinking : proofs.redacted;
}
