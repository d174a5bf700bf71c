import { copyMember } from '../../../wire/members.js';
import type { Message } from '../../../wire/chat-completion.js';
import { assistantBlocks, toolUseId } from './assistant-blocks.js';
import { marked, markedLast, partBlocks, textBlocks } from './content-parts.js';
import type { Block, TextBlock, ToolResultBlock, Turn } from './wire.js';

interface Conversation {
  system: TextBlock[];
  turns: Turn[];
}

/**
 * Converts messages to alternating turns. System and developer prompts before the first turn go to the top, and so do
 * later ones where the model accepts none between turns. Otherwise a later prompt is placed after the user's turn that
 * follows it, the only place where the vendor accepts it.
 * @throws ProviderError invalid_request
 */
export function conversation(messages: readonly Message[], systemTurns: boolean): Conversation {
  const builder = new ConversationBuilder();
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'developer':
        builder.prompt(markedLast(textBlocks(message), message), systemTurns);
        break;
      case 'assistant':
        builder.turn('assistant', assistantBlocks(message));
        break;
      case 'tool':
        builder.toolResult(toolResult(message));
        break;
      default:
        builder.turn('user', markedLast(partBlocks(message), message));
    }
  }
  return builder.end();
}

function toolResult(message: Message): ToolResultBlock {
  const result: ToolResultBlock = { type: 'tool_result', tool_use_id: toolUseId(message, 'tool_call_id') };
  const content = partBlocks(message);
  const [only] = content;
  if (content.length === 1 && only?.type === 'text' && !only.cache_control) copyMember(only, 'text', result, 'content');
  else if (content.length > 0) result.content = content;
  if (message.is_error === true) result.is_error = true;
  return marked(result, message.cache_control);
}

class ConversationBuilder {
  readonly #system: TextBlock[] = [];
  readonly #turns: Turn[] = [];
  /** Results of tools for the user's turn that is open. They come before all other content of it. */
  #results: ToolResultBlock[] = [];
  /** Prompts between turns that wait for the end of the user's turn. */
  #waiting: TextBlock[] = [];

  prompt(blocks: TextBlock[], inPlace: boolean): void {
    (inPlace && this.#turns.length > 0 ? this.#waiting : this.#system).push(...blocks);
  }

  turn(role: 'user' | 'assistant', blocks: Block[]): void {
    if (blocks.length > 0) this.#open(role).push(...blocks);
  }

  toolResult(result: ToolResultBlock): void {
    this.#open('user');
    this.#results.push(result);
  }

  end(): Conversation {
    this.#endUserTurn();
    const system = this.#system.concat(this.#waiting);
    // The vendor asks for at least one turn.
    if (this.#turns.length === 0 && system.length > 0) return { system: [], turns: [{ role: 'user', content: system }] };
    return { system, turns: this.#turns };
  }

  #open(role: 'user' | 'assistant'): Block[] {
    if (role === 'assistant') this.#endUserTurn();
    const last = this.#turns.at(-1);
    if (last?.role === role) return last.content;
    const content: Block[] = [];
    this.#turns.push({ role, content });
    return content;
  }

  #endUserTurn(): void {
    const last = this.#turns.at(-1);
    if (last?.role !== 'user') return;
    if (this.#results.length > 0) last.content = [...this.#results, ...last.content];
    this.#results = [];
    if (this.#waiting.length > 0) this.#turns.push({ role: 'system', content: this.#waiting });
    this.#waiting = [];
  }
}
