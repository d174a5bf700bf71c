import { valueAt } from '../../../wire/members.js';
import type { ContentPart, Message, Role } from '../../../wire/chat-completion.js';
import { type Marker, marker, type Turn } from '../language/documents.js';

const markers: Record<Role, Marker> = {
  system: marker.system,
  developer: marker.system,
  user: marker.user,
  assistant: marker.assistant,
  tool: marker.tool,
};

/** The conversation as the model reads it, with one turn for each message, which is read when it is its turn. */
export function* transcript(messages: readonly Message[]): Generator<Turn> {
  for (const message of messages) yield { marker: markers[message.role], text: messageText(message) };
}

export function messageText(message: Message): string {
  const content = typeof message.content === 'string' ? message.content : (message.content ?? []).map(partText).join('\n');
  const calls = (message.tool_calls ?? []).map((call) => `${call.function.name}(${call.function.arguments})`);
  return [content, message.refusal ?? '', ...calls].filter((text) => text !== '').join('\n');
}

/** The text of a part. What is not text is only mentioned, because the model cannot see or hear. */
function partText(part: ContentPart): string {
  return part.text ?? part.refusal ?? `[${part.type}]`;
}

/** The type of the first part that a model can only mention which reads parts of the given types. */
export function partBesides(types: readonly string[], messages: readonly Message[]): string | undefined {
  for (const message of messages) {
    const content = valueAt(message, 'content') as Message['content'];
    if (!Array.isArray(content)) continue;
    const part = content.find(({ type }) => !types.includes(type));
    if (part) return part.type;
  }
  return undefined;
}
