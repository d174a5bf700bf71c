import fc from 'fast-check';
import { BufferList } from '../../json/buffer-list.js';
import { parseWhole } from '../../json/testing/parse-whole.js';
import type { Message } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest, CompletionGenerationRequest, GenerationRequest } from '../../wire/generation.js';
import { stickyKey } from './sticky-key.js';

const chat = (messages: readonly Message[], more: Partial<ChatGenerationRequest> = {}): GenerationRequest => ({
  operation: 'chat',
  model: 'm',
  stream: false,
  n: 1,
  messages,
  ...more,
});
const completion = (prompt: string): CompletionGenerationRequest => ({ operation: 'completion', model: 'm', stream: false, n: 1, prompt });
const system: Message = { role: 'system', content: 'You are a helpful assistant.' };
const user = (content: Message['content']): Message => ({ role: 'user', content });
const answer: Message = { role: 'assistant', content: 'Hi' };
const keyOf = (request: GenerationRequest) => stickyKey(request, 'account');

describe('stickyKey', () => {
  const content = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 3_000 }),
    fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('text'), text: fc.string({ maxLength: 2_000 }) }),
        fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: fc.string({ maxLength: 100 }) }) }),
      ),
      { maxLength: 10 },
    ),
  );
  const later = fc.record({ role: fc.constantFrom('user', 'assistant', 'tool', 'system' as const), content });

  it('stays the same for all later turns of a conversation', () => {
    fc.assert(
      fc.property(fc.option(content), content, fc.array(later as fc.Arbitrary<Message>, { maxLength: 20 }), (prompt, first, turns) => {
        const begun = [...(prompt === null ? [] : [{ ...system, content: prompt }]), user(first)];
        expect(keyOf(chat([...begun, ...turns]))).toBe(keyOf(chat(begun)));
      }),
    );
  });

  it.each([
    ['plain', 'x'.repeat(9_000)],
    ['escapes', '"\\\n'.repeat(3_000)],
    ['other scripts', 'x语言🙂é'.repeat(3_000)],
  ])('stays the same when the request has become long: %s', (_name, text) => {
    const begun: Message[] = [{ ...system, content: text }, user([{ type: 'text', text }])];
    const grown = { messages: [...begun, answer, user('y'.repeat(100_000))] };
    const parsed = parseWhole(new BufferList([Buffer.from(JSON.stringify(grown))])) as { messages: Message[] };
    expect(keyOf(chat(parsed.messages))).toBe(keyOf(chat(begun)));
  });

  it('differs between conversations with the same system prompt, and between accounts', () => {
    const first = chat([system, user('What is the time?')]);
    expect(keyOf(chat([system, user('Tell a joke.')]))).not.toBe(keyOf(first));
    expect(stickyKey(first, 'other')).not.toBe(keyOf(first));
  });

  it('is what the client names, whatever it says', () => {
    const [one, other] = [[user('a')], [user('b')]];
    expect(keyOf(chat(one, { user: 'u' }))).toBe(keyOf(chat(other, { user: 'u' })));
    const named = { prompt_cache_key: 'k' };
    expect(keyOf(chat(one, { user: 'u', extra: named }))).toBe(keyOf(chat(other, { user: 'v', extra: named })));
    expect(keyOf(chat(one, { user: 'u', extra: named }))).not.toBe(keyOf(chat(one, { user: 'u' })));
    expect(stickyKey(chat(one, { user: 'u' }), 'other')).not.toBe(keyOf(chat(one, { user: 'u' })));
    expect(keyOf(chat(one, { extra: { prompt_cache_key: 5 } }))).toBe(keyOf(chat(one)));
  });

  it('looks at the beginning of a prompt only', () => {
    const begun = 'x'.repeat(1_024);
    expect(keyOf(completion(`${begun}a`))).toBe(keyOf(completion(`${begun}b`)));
    expect(keyOf(completion('a'))).not.toBe(keyOf(completion('b')));
  });
});
