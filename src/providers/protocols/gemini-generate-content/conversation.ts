import { hasSomeText, hasText } from '../../../wire/members.js';
import type { Message } from '../../../wire/chat-completion.js';
import { idKey } from '../id-key.js';
import { contentParts, textPart } from './content-parts.js';
import { functionCallPart, functionResponsePart, ResultsLeft } from './function-parts.js';
import type { Content, Part } from './wire.js';
import { ABSENT_SIGNATURE, signatureOf } from './signatures.js';

interface Conversation {
  contents: Content[];
  systemInstruction?: { parts: Part[] };
}

/**
 * Converts messages to contents. System and developer messages, wherever they are, become the system instruction,
 * because Google knows no other place for them. Consecutive tool results become one turn, because Google counts them
 * against the calls of the turn before.
 * @param signed whether the model refuses function calls without a thought signature
 * @throws ProviderError invalid_request
 */
export function conversation(messages: readonly Message[], signed: boolean): Conversation {
  const contents: Content[] = [];
  const system: Part[] = [];
  const names = new Map<string, string>();
  const left = new ResultsLeft();
  let results: Part[] | undefined;
  for (const [position, message] of messages.entries()) {
    const where = `messages[${position}]`;
    if (message.role === 'tool') {
      if (!results) {
        results = [];
        contents.push({ role: 'user', parts: results });
      }
      results.push(functionResponsePart(message, names, where, left));
      continue;
    }
    results = undefined;
    switch (message.role) {
      case 'system':
      case 'developer':
        // Google refuses empty text.
        system.push(...contentParts(message, where).filter((part) => !hasText(part, 'text') || hasSomeText(part, 'text')));
        break;
      case 'assistant': {
        for (const call of message.tool_calls ?? []) names.set(idKey(call, 'id'), call.function.name);
        const parts = modelParts(message, signed, where);
        if (parts.length > 0) contents.push({ role: 'model', parts });
        break;
      }
      default:
        contents.push({ role: 'user', parts: contentParts(message, where) });
    }
  }
  // Google asks for at least one turn.
  if (contents.length === 0) return { contents: [{ role: 'user', parts: system }] };
  return system.length > 0 ? { contents, systemInstruction: { parts: system } } : { contents };
}

function modelParts(message: Message, signed: boolean, where: string): Part[] {
  const parts = hasSomeText(message, 'content') || Array.isArray(message.content) ? contentParts(message, where) : [];
  if (hasSomeText(message, 'refusal')) parts.push(textPart(message, 'refusal'));
  const signature = signatureOf(message['extra_content']);
  if (signature) {
    const last = parts.at(-1);
    if (last) last.thoughtSignature = signature;
    else parts.push({ text: '', thoughtSignature: signature });
  }
  const calls = (message.tool_calls ?? []).map((call, index) => functionCallPart(call, `${where}.tool_calls[${index}]`));
  // Of parallel calls Google signs the first alone.
  if (signed && calls[0] && !calls.some((part) => part.thoughtSignature)) calls[0].thoughtSignature = ABSENT_SIGNATURE;
  return [...parts, ...calls];
}
