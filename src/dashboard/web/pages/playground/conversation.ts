import { sumOfCredits } from '../../ui/numbers';
import type { Answer } from './answer';
import { noSettings, parametersOf, type Settings } from './settings';

export type Mode = 'chat' | 'completion';

export interface Image {
  readonly id: string;
  readonly name: string;
  /** A data URL. */
  readonly url: string;
}

/** A model, which goes on with what it has answered before. */
export interface Column {
  readonly id: string;
  readonly model: string;
}

/** A prompt, and what the models answered. */
export interface Turn {
  readonly id: string;
  readonly mode: Mode;
  readonly text: string;
  readonly images: readonly Image[];
  /** Those of one column in their order; one more after the results of functions. */
  readonly answers: readonly Answer[];
}

export interface Conversation {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  readonly mode: Mode;
  readonly columns: readonly Column[];
  readonly settings: Settings;
  readonly turns: readonly Turn[];
}

/** Models that answer side by side at most. */
export const MAX_COLUMNS = 4;

/** Random, also where the page was not loaded over HTTPS. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param like whose models and settings it begins with */
export function newConversation(like?: Pick<Conversation, 'mode' | 'columns' | 'settings'>): Conversation {
  const { mode = 'chat', columns = [], settings = noSettings } = like ?? {};
  return { id: newId(), updatedAt: Date.now(), mode, columns, settings, turns: [] };
}

/** What it is called in a list. */
export function titleOf({ turns }: Conversation): string {
  const text = turns[0]?.text.trim().replaceAll(/\s+/g, ' ') ?? '';
  return text === '' ? 'Without words' : text.slice(0, 80);
}

/** Credits that all answers cost together, exact. */
export function costOf({ turns }: Conversation): string {
  return sumOfCredits(turns.flatMap(({ answers }) => answers.flatMap(({ charged }) => charged ?? [])));
}

/**
 * The body of the request to which a column answers next in a turn.
 * @param turn the last one that is sent
 */
export function bodyOf({ turns, settings }: Conversation, { id, model }: Column, turn: Turn): Record<string, unknown> {
  const parameters = parametersOf(settings, turn.mode);
  if (turn.mode === 'completion') return { model, prompt: turn.text, ...parameters };
  const system = settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }];
  const at = turns.findIndex((one) => one.id === turn.id);
  const before = turns.slice(0, at === -1 ? turns.length : at).filter(({ mode }) => mode === 'chat');
  const messages = [...before, turn].flatMap((one) => [
    { role: 'user', content: contentOf(one) },
    ...answersOf(one, id, one.id !== turn.id).flatMap(messagesOf),
  ]);
  return { model, messages: [...system, ...messages], ...parameters };
}

/** What a column has answered; a column that was not there yet goes on with what the first one answered. */
function answersOf({ answers }: Turn, column: string, others: boolean): readonly Answer[] {
  const own = answers.filter((answer) => answer.column === column);
  return own.length > 0 || !others ? own : answers.filter((answer) => answer.column === answers[0]?.column);
}

function contentOf({ text, images }: Turn): unknown {
  if (images.length === 0) return text;
  const parts = images.map(({ url }) => ({ type: 'image_url', image_url: { url } }));
  return text === '' ? parts : [{ type: 'text', text }, ...parts];
}

/** An answer, and what the functions returned that it has called. Each call must have a result. */
function messagesOf({ text, calls, results, extra }: Answer): object[] {
  const sound = calls.filter(({ id, name }) => id !== '' && name !== '');
  if (text === '' && sound.length === 0) return [];
  const tool_calls = sound.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
    ...(call.extra !== undefined && { extra_content: call.extra }),
  }));
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(tool_calls.length > 0 && { tool_calls }),
      ...(extra !== undefined && { extra_content: extra }),
    },
    ...sound.map((call) => ({ role: 'tool', tool_call_id: call.id, content: results?.[call.id] || 'No result.' })),
  ];
}

/** The conversation with one answer changed; the same where it is not in it. */
export function withAnswer(conversation: Conversation, id: string, change: (answer: Answer) => Answer): Conversation {
  const turns = conversation.turns.map((turn) => {
    const index = turn.answers.findIndex((answer) => answer.id === id);
    return index === -1 ? turn : { ...turn, answers: turn.answers.with(index, change(turn.answers[index]!)) };
  });
  return turns.some((turn, index) => turn !== conversation.turns[index]) ? { ...conversation, turns } : conversation;
}
