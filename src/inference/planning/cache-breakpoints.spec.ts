import fc from 'fast-check';
import { parsePrice } from '../../common/prices/credits.js';
import type { CacheBreakpoint } from '../../config/provider.schema.js';
import { BufferList } from '../../json/buffer-list.js';
import { sourceBytes } from '../../json/json-source.js';
import { parseWhole } from '../../json/testing/parse-whole.js';
import type { Message, Tool } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { withBreakpoints } from './cache-breakpoints.js';
import { withoutCacheMarks } from './cache-marks.js';

const mark = { cache_control: { type: 'ephemeral' } };
const price = parsePrice({ prompt: 1, completion: 1, cache_write_5m: '1.25' });
const all: readonly CacheBreakpoint[] = ['tools', 'system', 'last_turns'];
const chat = (messages: readonly Message[], tools?: readonly Tool[]): ChatGenerationRequest => ({
  operation: 'chat',
  model: 'm',
  stream: false,
  n: 1,
  messages,
  ...(tools && { tools }),
});
const breakpoints = (request: ChatGenerationRequest, cacheBreakpoints = all) =>
  withBreakpoints({ price, cacheMarks: true, cacheBreakpoints }, request);
const marks = (value: unknown) => JSON.stringify(value).split('"cache_control"').length - 1;

const tool = (name: string): Tool => ({ type: 'function', function: { name } });
const system: Message = { role: 'system', content: 'Be brief.' };
const user = (content: Message['content']): Message => ({ role: 'user', content });
const assistant: Message = { role: 'assistant', content: 'Hi' };
const text = (said: string) => ({ type: 'text', text: said });

describe('the breakpoints that the gateway sets', () => {
  it('are after the tools, after the system prompt, and after the last two turns', () => {
    const messages = [system, { ...system, role: 'developer' as const }, user('a'), assistant, user('b'), assistant, user('c')];
    const { request, breakpoints: places } = breakpoints(chat(messages, [tool('x'), tool('y')]))!;
    expect(request.tools).toEqual([tool('x'), { ...tool('y'), ...mark }]);
    expect(request.messages).toEqual([
      system,
      { role: 'developer', content: [{ ...text('Be brief.'), ...mark }] },
      user('a'),
      assistant,
      user([{ ...text('b'), ...mark }]),
      assistant,
      user([{ ...text('c'), ...mark }]),
    ]);
    expect(places).toEqual(all);
  });

  it('are only where they are wanted, and named only where there is something to mark', () => {
    const request = chat([system, user('a')], [tool('x')]);
    expect(marks(breakpoints(request, ['system'])!.request)).toBe(1);
    expect(breakpoints(chat([user('a')]))!.breakpoints).toEqual(['last_turns']);
    expect(breakpoints(request, [])).toBeUndefined();
    expect(breakpoints(chat([user(' ')]))).toBeUndefined();
  });

  it('are after the results of tools, once for each turn', () => {
    const result = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: 'fine' });
    const { request } = breakpoints(chat([user('a'), assistant, result('1'), result('2')]), ['last_turns'])!;
    expect(request.messages).toEqual([user([{ ...text('a'), ...mark }]), assistant, result('1'), { ...result('2'), ...mark }]);
  });

  it('are on the last text of several parts', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    const { request } = breakpoints(chat([user([text('a'), text('b'), image, text(' ')])]))!;
    expect(request.messages[0]!.content).toEqual([text('a'), { ...text('b'), ...mark }, image, text(' ')]);
  });

  it('keep texts that were not decoded yet', () => {
    const long = '"\\é\n'.repeat(10_000);
    const parsed = parseWhole(new BufferList([Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: long }] }))]));
    const { request } = breakpoints(chat((parsed as { messages: Message[] }).messages))!;
    expect(request.messages).toEqual([user([{ ...text(long), ...mark }])]);
  });

  it.each([
    ['writing has no price', { price: parsePrice({ prompt: 1, completion: 1, cached_input: '0.1' }), cacheMarks: true }],
    ['the provider knows no marks', { price, cacheMarks: false }],
  ])('are not set where %s', (_name, offer) => {
    expect(withBreakpoints({ ...offer, cacheBreakpoints: all }, chat([system, user('a')]))).toBeUndefined();
  });

  it('are four at most, say nothing else, and leave the request as it was', () => {
    const content = fc.oneof(fc.string(), fc.constant(null), fc.array(fc.record({ type: fc.constant('text'), text: fc.string() })));
    const role = fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool' as const);
    const messages = fc.array(fc.record({ role, content }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(messages, fc.subarray([...all]), fc.array(fc.constant(tool('x')), { maxLength: 3 }), (said, places, tools) => {
        const request = chat(said, tools);
        const before = JSON.stringify(request);
        const marked = breakpoints(request, places);
        expect(JSON.stringify(request)).toBe(before);
        if (!marked) return;
        expect(marks(marked.request)).toBeLessThanOrEqual(4);
        expect(marks(marked.request)).toBeGreaterThanOrEqual(marked.breakpoints.length);
        const bare = withoutCacheMarks(
          marked.request,
          () => true,
          () => undefined,
        );
        const texts = (of: readonly Message[]) =>
          of.map((one) => (Array.isArray(one.content) && one.content.length === 1 ? one.content[0]!.text : one.content));
        expect(texts(bare.messages)).toEqual(texts(said));
      }),
    );
  });
});

describe('a text that was not read yet', () => {
  const body = {
    model: 'm',
    tools: [{ ...tool('x'), ...mark }],
    messages: [
      user('x'.repeat(20_000)),
      { ...assistant, content: 'x'.repeat(20_000) },
      user([{ ...text('x'.repeat(20_000)), ...mark }]),
      { role: 'tool', tool_call_id: 'c', content: 'x'.repeat(20_000) },
    ],
  };
  const received = () => {
    const { messages, tools } = parseWhole(new BufferList([Buffer.from(JSON.stringify(body))]));
    return chat(messages as Message[], tools as Tool[]);
  };
  it('stays so where marks are taken out, and it is known how large the messages were', () => {
    const bare = withoutCacheMarks(
      received(),
      () => true,
      () => undefined,
    );
    expect(sourceBytes(bare.messages)).toBe(JSON.stringify(body.messages).length);
    expect(marks(bare)).toBe(0);
  });

  it('stays so where they are set', () => {
    const { request } = breakpoints(received(), ['tools', 'last_turns'])!;
    expect(sourceBytes(request.messages)).toBe(JSON.stringify(body.messages).length);
    expect(marks(request)).toBe(4);
  });
});
