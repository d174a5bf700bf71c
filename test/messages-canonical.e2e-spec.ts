import fc from 'fast-check';
import { WireValidationPipe } from '../src/http/requests/wire-validation.pipe.js';
import { CreateMessageDto } from '../src/messages/create-message.dto.js';
import { messageRequest } from '../src/messages/message-request.js';
import { factsOf } from '../src/providers/model-facts/claude/claude-facts.js';
import { messagesRequest } from '../src/providers/protocols/anthropic-messages/request.js';
import type { TurnParam } from '../src/wire/anthropic-message.js';
import { carriedReader } from '../src/inference/carried/testing/carried-texts.js';

const pipe = new WireValidationPipe(CreateMessageDto, 'extra');

const text = fc.string({ minLength: 1, maxLength: 12 }).map((word) => `x${word}`);
const mark = fc.constantFrom({}, {}, { cache_control: { type: 'ephemeral' } }, { cache_control: { type: 'ephemeral', ttl: '1h' } });
const block = <T extends object>(own: fc.Arbitrary<T>) => fc.tuple(own, mark).map(([one, marks]) => ({ ...one, ...marks }));
const base64 = fc.string({ minLength: 4, maxLength: 12, unit: fc.constantFrom('A', 'b', '3', '+') });
const textBlock = block(fc.record({ type: fc.constant('text'), text }));
const image = block(
  fc.record({
    type: fc.constant('image'),
    source: fc.oneof(
      fc.record({ type: fc.constant('base64'), media_type: fc.constantFrom('image/png', 'image/webp'), data: base64 }),
      fc.constant({ type: 'url', url: 'https://example.com/a.png' }),
    ),
  }),
);
const pdf = block(
  fc.record(
    {
      type: fc.constant('document'),
      source: fc.record({ type: fc.constant('base64'), media_type: fc.constant('application/pdf'), data: base64 }),
      title: text,
    },
    { requiredKeys: ['type', 'source'] },
  ),
);
const shown = fc.oneof(textBlock, image, pdf);
const id = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'B', '9', '_', '-') });
const result = block(
  fc.record(
    {
      type: fc.constant('tool_result'),
      tool_use_id: id,
      content: fc.oneof(text, fc.array(shown, { minLength: 1, maxLength: 3 })),
      is_error: fc.constant(true),
    },
    { requiredKeys: ['type', 'tool_use_id', 'content'] },
  ),
);
const thinking = fc.oneof(
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }),
  fc.record({ type: fc.constant('redacted_thinking'), data: text }),
);
const call = block(fc.record({ type: fc.constant('tool_use'), id, name: id, input: fc.dictionary(id, fc.jsonValue({ maxDepth: 1 })) }));
const some = <T>(one: fc.Arbitrary<T>, minLength = 0) => fc.array(one, { minLength, maxLength: 3 });
const userTurn = fc.tuple(some(result), some(shown, 1)).map(([results, rest]) => ({ role: 'user', content: [...results, ...rest] }));
const assistantTurn = fc
  .tuple(some(thinking), some(textBlock, 1), some(thinking), some(call))
  .map(([first, texts, later, calls]) => ({ role: 'assistant', content: [...first, ...texts, ...later, ...calls] }));
const tool = block(
  fc.record(
    { name: id, description: text, input_schema: fc.constant({ type: 'object', properties: {} }) },
    { requiredKeys: ['name', 'input_schema'] },
  ),
);

const body = fc.record(
  {
    system: fc.oneof(text, some(textBlock, 1)),
    messages: fc
      .tuple(userTurn, fc.array(fc.tuple(assistantTurn, userTurn), { maxLength: 2 }))
      .map(([first, rest]) => [first, ...rest.flat()]),
    max_tokens: fc.integer({ min: 20_000, max: 30_000 }),
    stop_sequences: some(text, 1),
    top_k: fc.integer({ min: 1, max: 50 }),
    temperature: fc.constantFrom(0, 0.5, 1),
    // What looks like the number of a telephone is not sent.
    metadata: fc.record({ user_id: id.map((name) => `u${name}`) }),
    service_tier: fc.constantFrom('auto', 'standard_only'),
    cache_control: fc.constant({ type: 'ephemeral' }),
    tools: some(tool, 1),
  },
  { requiredKeys: ['messages', 'max_tokens'] },
);

/** Texts alone are the short form of one text block. */
function plain(content: string | object[]): object[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((one) => ('content' in one ? { ...one, content: plain(one.content as string | object[]) } : one));
}

function comparable({ system, messages, model: _model, stream: _stream, ...rest }: Record<string, unknown>): object {
  const turns = (messages as TurnParam[]).map((turn) => ({ ...turn, content: plain(turn.content) }));
  return { ...rest, messages: turns, ...(system !== undefined && { system: plain(system as string) }) };
}

const { traits } = factsOf('claude-opus-4-5');

describe('A request in Anthropic’s form', () => {
  it('loses nothing on its way to the canonical form and back', () => {
    fc.assert(
      fc.property(body, (asked) => {
        const { native, ...canonical } = messageRequest(pipe.transform({ model: 'm', ...asked }), {}, carriedReader());
        const dropped: string[] = [];
        const { body: sent } = messagesRequest(canonical, 'm', traits, (name) => dropped.push(name));
        const { tool_choice: _none, ...back } = JSON.parse(JSON.stringify(sent)) as Record<string, unknown>;
        // Tools that the conversation has used are declared where the client declares none.
        const { tools: _used, ...others } = back;
        const same = 'tools' in asked ? back : others;
        expect(dropped).toEqual([]);
        expect(comparable(same)).toEqual(comparable(JSON.parse(JSON.stringify(asked)) as Record<string, unknown>));
        const { max_tokens: _max, temperature: _heat, top_k: _k, service_tier: _tier, ...members } = asked;
        expect(native!.body).toEqual(members);
      }),
    );
  });
});
