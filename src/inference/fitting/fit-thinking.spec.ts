import type { RequestRules } from '../../providers/contract/request-rules.js';
import type { Message } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { said } from '../../wire/testing/said.js';
import { fitThinking } from './fit-thinking.js';

type Kind = NonNullable<RequestRules['thinking']>;

const question = said.user('What time is it?');
const call = { id: 'c', type: 'function' as const, function: { name: 'now', arguments: '{}' } };
const result: Message = { role: 'tool', tool_call_id: 'c', content: 'Noon.' };
const thought = { index: 0, type: 'thinking', thinking: 'Hm.', signature: 's' };
const called = (...thinking_blocks: object[]): Message => ({ role: 'assistant', content: null, tool_calls: [call], thinking_blocks });

/** Whether a budget may be asked for at their end. */
const histories: Readonly<Record<string, readonly [allowed: boolean, readonly Message[]]>> = {
  'a question': [true, [question]],
  'a call without thinking': [false, [question, called(), result]],
  'a call with thinking': [true, [question, called(thought), result]],
  'a call with hidden thinking': [true, [question, called({ index: 0, type: 'redacted_thinking', data: 'd' }), result]],
  'thinking behind some text': [
    false,
    [question, { ...called({ ...thought, after: { content: 2, tool_calls: 0 } }), content: 'So' }, result],
  ],
  'thinking of another vendor': [false, [question, called({ ...thought, wire: 'openai-responses' }), result]],
  'a later call without thinking': [false, [question, called(thought), result, called(), result]],
  'a later call with thinking': [true, [question, called(), result, called(thought), result]],
  'a call in the second message of a turn': [
    true,
    [question, { ...called(thought), tool_calls: undefined, content: 'So' }, called(), result],
  ],
  'a question behind a result': [false, [question, called(), result, question]],
  'a question behind an answer': [true, [question, called(), result, said.assistant('Noon.'), question]],
  'the beginning of an answer': [false, [question, said.assistant('It is')]],
};

const enabled = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
const adaptive = { thinking: { type: 'adaptive' } };
const disabled = { thinking: { type: 'disabled' } };

function fitted(kind: Kind, messages: readonly Message[], asked: Partial<ChatGenerationRequest>) {
  const dropped: string[] = [];
  const request = { operation: 'chat', model: 'm', stream: false, n: 1, messages, ...asked } as ChatGenerationRequest;
  const { reasoning_effort, extra } = { ...request, ...fitThinking(request, kind, (name) => dropped.push(name)) };
  return { effort: reasoning_effort, thinking: extra?.['thinking'], more: extra?.['top_k'], dropped: dropped.join() };
}

describe.each(Object.entries(histories))('Behind %s', (_, [allowed, messages]) => {
  const low = { reasoning_effort: 'low', extra: { top_k: 1 } };
  const same = { effort: 'low', more: 1, dropped: '' };

  it.each<[Kind, string, Partial<ChatGenerationRequest>, object]>([
    ['budget', 'an effort', low, allowed ? same : { effort: undefined, more: 1, dropped: 'reasoning_effort' }],
    ['both', 'an effort', low, same],
    ['adaptive', 'an effort', low, same],
    ['budget', 'no thinking', { reasoning_effort: 'none' }, { effort: 'none', dropped: '' }],
    [
      'budget',
      'a budget',
      { extra: { ...enabled, top_k: 1 } },
      allowed ? { ...enabled, more: 1, dropped: '' } : { effort: undefined, thinking: undefined, more: 1, dropped: 'thinking' },
    ],
    [
      'both',
      'a budget',
      { ...low, extra: enabled },
      allowed ? { ...enabled, dropped: '' } : { effort: 'low', thinking: undefined, dropped: 'thinking' },
    ],
    ['adaptive', 'a budget', { extra: enabled }, { effort: 'high', thinking: undefined, dropped: 'thinking' }],
    [
      'budget',
      'adaptive thinking',
      { ...low, extra: adaptive },
      { effort: allowed ? 'low' : undefined, thinking: undefined, dropped: 'thinking' },
    ],
    ['both', 'adaptive thinking', { extra: adaptive }, { ...adaptive, effort: undefined, dropped: '' }],
    ['budget', 'thinking switched off', { ...low, extra: disabled }, { ...disabled, dropped: '' }],
  ])('%s: %s', (kind, __, asked, expected) => {
    expect(fitted(kind, messages, asked)).toMatchObject(expected);
  });
});
