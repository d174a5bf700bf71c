import type { Message } from '../../../wire/chat-completion.js';
import { messageText } from '../response/transcript.js';

/** What the user asks at the end of a conversation. */
export interface Question {
  readonly message?: Message;
  readonly text: string;
  /** What functions have returned since, oldest first. */
  readonly results: readonly Message[];
}

/** How many characters of a question are looked at. */
const MAX_QUESTION = 4_000;
/** How many names of tags without an end are remembered, which bounds the search for ends. */
const MAX_UNCLOSED = 32;

/**
 * The last message of the user that a person can have written. Coding agents send facts about the machine, and
 * reminders, as messages of the user or beside his words, between tags: `<environment_context> ...`.
 */
export function questionOf(messages: readonly Message[]): Question {
  let last: Message | undefined;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (message.role !== 'user') continue;
    last ??= message;
    const text = withoutBlocks(messageText(message)).trim();
    if (text !== '') return { message, text: text.slice(0, MAX_QUESTION), results: resultsAfter(messages, at) };
  }
  const text = last ? messageText(last).slice(0, MAX_QUESTION) : '';
  return { message: last, text, results: resultsAfter(messages, last ? messages.lastIndexOf(last) : -1) };
}

const resultsAfter = (messages: readonly Message[], at: number) => messages.slice(at + 1).filter(({ role }) => role === 'tool');

/** The text outside of `<tag> ... </tag>`. */
function withoutBlocks(text: string): string {
  const tag = /<([A-Za-z][\w-]{2,60})>/g;
  const unclosed = new Set<string>();
  let outside = '';
  let from = 0;
  for (let found = tag.exec(text); found && unclosed.size < MAX_UNCLOSED; found = tag.exec(text)) {
    const end = `</${found[1]!}>`;
    const at = unclosed.has(end) ? -1 : text.indexOf(end, tag.lastIndex);
    if (at < 0) {
      unclosed.add(end);
      continue;
    }
    outside += text.slice(from, found.index);
    from = tag.lastIndex = at + end.length;
  }
  return outside + text.slice(from);
}
