import fc from 'fast-check';
import { chatCompletion, chatRequest } from '../src/chat/chat-completion.mapping.js';
import { ChatEvents } from '../src/chat/chat-events.js';
import { CreateChatCompletionDto } from '../src/chat/create-chat-completion.dto.js';
import { payloadsOf } from '../src/http/answers/testing/payloads-of.js';
import { WireValidationPipe } from '../src/http/requests/wire-validation.pipe.js';
import { accumulate } from '../src/wire/accumulate.js';
import { MessageEvents } from '../src/messages/message-events.js';
import { messageOf } from '../src/messages/message.mapping.js';
import { StreamedMessage } from '../src/messages/testing/streamed-message.js';
import { ConverseDecoder } from '../src/providers/bedrock/decoder.js';
import { ChatDecoder } from '../src/providers/cohere/decoder.js';
import { MessagesDecoder } from '../src/providers/protocols/anthropic-messages/decoder.js';
import type { ResponseDecoder } from '../src/providers/protocols/response-decoder.js';
import { ResponsesDecoder } from '../src/providers/protocols/openai-responses/decoder.js';
import { chatCompletionsRequest } from '../src/providers/protocols/chat-completions/request.js';
import { CreateResponseDto } from '../src/responses/create-response.dto.js';
import { OutputItems } from '../src/responses/output/output-items.js';
import type { OutputOptions } from '../src/responses/output/output-options.js';
import { ResponseEvents } from '../src/responses/response-events.js';
import { begunResponse, endOf } from '../src/responses/response.mapping.js';
import type { MessageBlock, MessageStreamEvent } from '../src/wire/anthropic-message.js';
import { asByteText, textOf } from '../src/wire/byte-text.js';
import type { Delta, FinishReason } from '../src/wire/chat-completion.js';
import type { GenerationChunk } from '../src/wire/generation.js';
import type { JsonObject } from '../src/wire/json-object.js';
import type { StreamEvent } from '../src/wire/stream-event.js';
import { usageOf } from '../src/wire/usage.js';
import { chatFormat } from './formats/chat-format.js';
import type { End, Said } from './formats/format.js';
import { messagesFormat } from './formats/messages-format.js';
import { responsesFormat } from './formats/responses-format.js';
import { carriedTexts } from '../src/inference/carried/testing/carried-texts.js';
import { ResponseStreamMachine } from './support/response-stream.js';
import { roomForAll } from '../src/responses/output/testing/output-claim.js';

const word = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const name = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'B', '9', '_') });
const pieces = fc.array(word, { minLength: 1, maxLength: 3 });

/** A step of a provider's answer; calls are told one after the other, or in pieces that take turns. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('reasoning' as const), pieces, signature: word }),
  fc.record({ kind: fc.constant('text' as const), pieces }),
  fc.record({
    kind: fc.constant('calls' as const),
    calls: fc.array(fc.record({ name, given: fc.dictionary(name, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
    size: fc.integer({ min: 1, max: 9 }),
    mixed: fc.boolean(),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const ends: Readonly<Record<FinishReason, End>> = { stop: 'stop', length: 'length', tool_calls: 'tools', content_filter: 'filter' };

const stream = fc
  .record({
    steps: fc.array(step, { maxLength: 5 }),
    // A vendor signs all its reasoning, or none.
    signs: fc.boolean(),
    cut: fc.constantFrom<FinishReason | undefined>(undefined, undefined, 'length', 'content_filter'),
  })
  .map(({ steps, signs, cut }) => {
    const { deltas, said } = played(steps, signs);
    const finish_reason = cut ?? (said.calls.length > 0 ? 'tool_calls' : 'stop');
    const chunks: GenerationChunk[] = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
    // The pipeline tells the usage last, whenever the provider has.
    chunks.push({ choices: [{ index: 0, delta: {}, finish_reason }] }, { choices: [], usage: usageOf(7, 5) });
    return { chunks, said: { ...said, end: ends[finish_reason] } };
  });

/** The deltas as a protocol makes them, and what they say. */
function played(steps: readonly Step[], signs: boolean): { deltas: Delta[]; said: Omit<Said, 'end'> } {
  const deltas: Delta[] = [];
  const calls: { name: string; arguments: object }[] = [];
  let [thought, text, blocks] = ['', '', 0];
  for (const one of steps) {
    if (one.kind === 'text') {
      for (const content of one.pieces) deltas.push({ content });
      text += one.pieces.join('');
    } else if (one.kind === 'reasoning') {
      const thinking = one.pieces.join('');
      for (const reasoning_content of one.pieces) deltas.push({ reasoning_content });
      const after = text !== '' || calls.length > 0 ? { after: { content: text.length, tool_calls: calls.length } } : {};
      const { signature } = one;
      if (signs) deltas.push({ thinking_blocks: [{ index: blocks++, type: 'thinking', thinking, signature, ...after }] });
      thought += thinking;
    } else {
      const first = calls.length;
      const told = one.calls.map(({ name: called, given }, at): Delta[] => {
        const index = first + at;
        const begun: Delta = { tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: called, arguments: '' } }] };
        const parts = JSON.stringify(given).match(new RegExp(`[^]{1,${one.size}}`, 'g'))!;
        return [begun, ...parts.map((part): Delta => ({ tool_calls: [{ index, function: { arguments: part } }] }))];
      });
      if (!one.mixed) deltas.push(...told.flat());
      else {
        deltas.push(...told.map(([begun]) => begun!));
        const most = Math.max(...told.map(({ length }) => length));
        for (let at = 1; at < most; at++) for (const parts of told) if (parts[at]) deltas.push(parts[at]!);
      }
      for (const { name: called, given } of one.calls) calls.push({ name: called, arguments: JSON.parse(JSON.stringify(given)) as object });
    }
  }
  return { deltas, said: { thought, text, calls } };
}

const envelope = { id: 'id_1', created: 7, model: 'm' };
const options: OutputOptions = {
  requestId: 'r',
  summary: true,
  encrypted: false,
  carried: carriedTexts,
  logprobs: false,
  names: new Map(),
  custom: undefined,
};
const response = begunResponse(Object.assign(new CreateResponseDto(), { model: 'm', input: 'Hi' }), 'r');

function written(
  events: { next(chunk: GenerationChunk, emit: (event: StreamEvent) => void): void },
  chunks: readonly GenerationChunk[],
): string[] {
  const payloads: string[] = [];
  for (const chunk of chunks) events.next(chunk, (event) => payloads.push(...payloadsOf(event).map((text) => textOf(asByteText(text)))));
  return payloads;
}

const named = (payloads: readonly string[]): string => payloads.map((payload) => `event: ${payload}\n\n`).join('');

/** What each format makes of a provider's stream, read by the rules of its official types; and of the whole answer. */
const readers: readonly {
  readonly name: string;
  readonly streamed: (chunks: readonly GenerationChunk[]) => Said;
  readonly whole: (whole: GenerationChunk) => Said;
}[] = [
  {
    name: 'chat completions',
    streamed: (chunks) =>
      chatFormat.streamed(
        `${written(new ChatEvents(envelope, true), chunks)
          .map((payload) => `data: ${payload}\n\n`)
          .join('')}data: [DONE]\n\n`,
      ),
    whole: (whole) => chatFormat.whole(chatCompletion(envelope, whole)),
  },
  {
    name: 'messages',
    streamed: (chunks) => messagesFormat.streamed(named(written(new MessageEvents(envelope, carriedTexts), chunks))),
    whole: (whole) => messagesFormat.whole(JSON.parse(JSON.stringify(messageOf(envelope, whole, carriedTexts)))),
  },
  {
    name: 'responses',
    streamed: (chunks) => responsesFormat.streamed(named(written(new ResponseEvents(response, options, roomForAll()), chunks))),
    whole(whole) {
      const output = new OutputItems(options, roomForAll());
      for (const choice of whole.choices) output.add(choice);
      return responsesFormat.whole(endOf(response, output, whole.choices[0]!.finish_reason!, whole.usage!));
    },
  },
];

describe.each(readers)('The answers of a provider in the format of $name', ({ streamed, whole }) => {
  it('are events in the order of the official types, and say all of it', () => {
    fc.assert(
      fc.property(stream, ({ chunks, said }) => {
        expect(streamed(chunks)).toEqual(said);
        expect(whole(accumulate(chunks))).toEqual(said);
      }),
      { numRuns: 300 },
    );
  });
});

const partsOf = (type: string) => fc.array(fc.record({ type: fc.constant(type), text: word }), { minLength: 1, maxLength: 3 });

/** An item of a vendor's answer with its parts, of which there are several where `fc` says so. */
const vendorItem = fc.oneof(
  fc.record(
    {
      type: fc.constant('message'),
      content: fc.oneof(
        fc.array(fc.record({ type: fc.constant('output_text'), text: word, annotations: fc.subarray([cited('a'), cited('b')]) }), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.tuple(fc.record({ type: fc.constant('refusal'), refusal: word })),
      ),
      phase: fc.constantFrom('commentary', 'final_answer'),
    },
    { requiredKeys: ['type', 'content'] },
  ),
  fc.record(
    { type: fc.constant('reasoning'), summary: fc.oneof(fc.constant([]), partsOf('summary_text')), encrypted_content: word },
    { requiredKeys: ['type', 'summary'] },
  ),
  fc.record({ type: fc.constant('function_call'), call_id: fc.uuid(), name, arguments: fc.constantFrom('{}', '{"a":1}') }),
  fc.record({
    type: fc.constant('web_search_call'),
    status: fc.constant('completed'),
    action: fc.constant({ type: 'search', query: 'q' }),
  }),
);

function cited(title: string) {
  return { type: 'url_citation', url: 'https://x.example', title, start_index: 0, end_index: 1 };
}

/** The events in which a vendor streams an item. */
function itemEvents(item: JsonObject, output_index: number): JsonObject[] {
  const begun: JsonObject = { ...item, encrypted_content: undefined };
  for (const member of ['content', 'summary', 'arguments'])
    if (begun[member] !== undefined) begun[member] = member === 'arguments' ? '' : [];
  const deltas = (type: string, text: string, more: object): JsonObject[] =>
    [text.slice(0, 1), text.slice(1)].filter(Boolean).map((delta) => ({ type, output_index, delta, ...more }));
  const events: JsonObject[] = [{ type: 'response.output_item.added', output_index, item: begun }];
  for (const [content_index, one] of ((item['content'] ?? []) as JsonObject[]).entries()) {
    const { text, refusal, annotations = [] } = one as { text?: string; refusal?: string; annotations?: object[] };
    events.push({ type: 'response.content_part.added', output_index, content_index });
    if (text) events.push(...deltas('response.output_text.delta', text, { content_index }));
    if (refusal) events.push(...deltas('response.refusal.delta', refusal, { content_index }));
    for (const annotation of annotations)
      events.push({ type: 'response.output_text.annotation.added', output_index, content_index, annotation });
  }
  for (const [summary_index, { text }] of ((item['summary'] ?? []) as { text: string }[]).entries())
    events.push(...deltas('response.reasoning_summary_text.delta', text, { summary_index }));
  if (item['arguments']) events.push(...deltas('response.function_call_arguments.delta', item['arguments'] as string, {}));
  return [...events, { type: 'response.output_item.done', output_index, item }];
}

/** An item without what the gateway adds. */
function bareItem({ id: _id, status: _status, role: _role, ...item }: JsonObject): JsonObject {
  const content = item['content'] as JsonObject[] | undefined;
  return { ...item, ...(content && { content: content.map(({ logprobs: _logprobs, ...one }) => one) }) };
}

describe('The items of a vendor’s response', () => {
  const end = { status: 'completed', usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 } };

  it('reach a client as they are, as many as there are, streamed and whole', () => {
    fc.assert(
      fc.property(fc.array(vendorItem, { minLength: 1, maxLength: 6 }), (items) => {
        const output = items as unknown as JsonObject[];
        const due = output.map((item) => bareItem(item));
        const gathered = new OutputItems(options, roomForAll());
        const whole = new ResponsesDecoder([]).whole({ ...end, output });
        for (const choice of whole.choices) gathered.add(choice);
        const { choices } = whole;
        expect(
          endOf(response, gathered, choices[0]!.finish_reason!, whole.usage!).output.map((one) => bareItem(one as unknown as JsonObject)),
        ).toEqual(due);
        const decoder = new ResponsesDecoder([]);
        const chunks = output.flatMap(itemEvents).flatMap((event) => decoder.event('', JSON.stringify(event)) ?? []);
        decoder.event('', JSON.stringify({ type: 'response.completed', response: { ...end, output } }));
        const last = decoder.end().flatMap(({ choices: told, usage }) => [{ choices: told }, ...(usage ? [{ choices: [], usage }] : [])]);
        const { output: streamed } = ResponseStreamMachine.run(
          named(written(new ResponseEvents(response, options, roomForAll()), [...chunks, ...last])),
        );
        expect(streamed.map((one) => bareItem(one as unknown as JsonObject))).toEqual(due);
      }),
      { numRuns: 300 },
    );
  });
});

interface TextBlocks {
  readonly vendor: string;
  readonly decoder: () => ResponseDecoder;
  readonly whole: (texts: readonly Piece[]) => object;
  readonly events: (texts: readonly Piece[]) => readonly (readonly [name: string, event: object])[];
}
/** A text of an answer in pieces, or with `calls` a call of a tool. */
type Piece = { readonly pieces: readonly string[] } | { readonly call: string };

const block = fc.oneof({ weight: 3, arbitrary: fc.record({ pieces }) }, { weight: 1, arbitrary: fc.record({ call: name }) });
const textIn = (one: Piece): string => ('pieces' in one ? one.pieces.join('') : '');
const wordIn = (one: Piece): string => ('pieces' in one ? 'text' : 'call');

const anthropicBlock = (one: Piece) =>
  'pieces' in one ? { type: 'text', text: textIn(one) } : { type: 'tool_use', id: one.call, name: one.call, input: {} };
const converseBlock = (one: Piece) =>
  'pieces' in one ? { text: textIn(one) } : { toolUse: { toolUseId: one.call, name: one.call, input: {} } };
const cohereCall = (id: string) => ({ id, type: 'function', function: { name: id, arguments: '{}' } });

const converseUsage = { inputTokens: 7, outputTokens: 5, totalTokens: 12 };
const cohereUsage = { billed_units: { input_tokens: 7, output_tokens: 5 } };

const blocksIn = (content: readonly MessageBlock[]) =>
  content.map((one) => (one.type === 'text' ? one.text : one.type === 'tool_use' ? { call: one.name } : one));

const partsIn = (output: readonly unknown[]) =>
  (output as readonly { type: string; name: string; content: readonly { text: string }[] }[]).flatMap<unknown>(
    ({ type, name: called, content }) => (type === 'message' ? content.map(({ text }) => text) : [{ call: called }]),
  );

const messageEvents = (payloads: readonly string[]) =>
  payloads.map((payload) => JSON.parse(payload.slice(payload.indexOf('data: ') + 'data: '.length)) as MessageStreamEvent);

const ofBlocks: readonly TextBlocks[] = [
  {
    vendor: 'Anthropic',
    decoder: () => new MessagesDecoder(false, []),
    whole: (blocks) => ({ content: blocks.map(anthropicBlock), stop_reason: 'end_turn', usage: { input_tokens: 7, output_tokens: 5 } }),
    events: (blocks) => [
      ['message_start', { type: 'message_start', message: { usage: { input_tokens: 7, output_tokens: 1 } } }],
      ...blocks.flatMap((one, index) => [
        [
          'content_block_start',
          { type: 'content_block_start', index, content_block: { ...anthropicBlock(one), ...('pieces' in one && { text: '' }) } },
        ] as const,
        ...('pieces' in one ? one.pieces : []).map(
          (text) => ['content_block_delta', { type: 'content_block_delta', index, delta: { type: 'text_delta', text } }] as const,
        ),
        ['content_block_stop', { type: 'content_block_stop', index }] as const,
      ]),
      ['message_delta', { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }],
      ['message_stop', { type: 'message_stop' }],
    ],
  },
  {
    vendor: 'Converse',
    decoder: () => new ConverseDecoder(false),
    whole: (blocks) => ({ output: { message: { content: blocks.map(converseBlock) } }, stopReason: 'end_turn', usage: converseUsage }),
    events: (blocks) => [
      ['messageStart', { role: 'assistant' }],
      ...blocks.flatMap((one, contentBlockIndex) => [
        ...('pieces' in one
          ? one.pieces.map((text) => ['contentBlockDelta', { contentBlockIndex, delta: { text } }] as const)
          : [['contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId: one.call, name: one.call } } }] as const]),
        ['contentBlockStop', { contentBlockIndex }] as const,
      ]),
      ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage: converseUsage }],
    ],
  },
  {
    vendor: 'Cohere',
    decoder: () => new ChatDecoder([]),
    // Its calls come behind all blocks.
    whole: (blocks) => ({
      message: {
        content: blocks.flatMap((one) => ('pieces' in one ? [{ type: 'text', text: textIn(one) }] : [])),
        tool_calls: blocks.flatMap((one) => ('call' in one ? [cohereCall(one.call)] : [])),
      },
      finish_reason: 'COMPLETE',
      usage: cohereUsage,
    }),
    events: (blocks) => [
      ['', { type: 'message-start' }],
      ...blocks
        .flatMap((one) => ('pieces' in one ? [one.pieces] : []))
        .flatMap((texts, index) => [
          ['', { type: 'content-start', index, delta: { message: { content: { type: 'text', text: '' } } } }] as const,
          ...texts.map((text) => ['', { type: 'content-delta', index, delta: { message: { content: { text } } } }] as const),
          ['', { type: 'content-end', index }] as const,
        ]),
      ...blocks
        .flatMap((one) => ('call' in one ? [one.call] : []))
        .map((id, index) => ['', { type: 'tool-call-start', index, delta: { message: { tool_calls: cohereCall(id) } } }] as const),
      ['', { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: cohereUsage } }],
    ],
  },
];

describe.each(ofBlocks)('The texts of an answer of $vendor', ({ vendor, decoder, whole, events }) => {
  it('are as many for each client whose format has several, in their order, streamed and whole', () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 5 }), (blocks) => {
        const inOrder = vendor === 'Cohere' ? [...blocks].sort((a, b) => wordIn(b).localeCompare(wordIn(a))) : blocks;
        const due = inOrder.map((one) => ('pieces' in one ? textIn(one) : { call: one.call }));
        const answer = decoder().whole(whole(blocks) as JsonObject, {});
        expect(blocksIn(messageOf(envelope, answer, carriedTexts).content)).toEqual(due);
        const items = new OutputItems(options, roomForAll());
        for (const choice of answer.choices) items.add(choice);
        expect(partsIn(endOf(response, items, answer.choices[0]!.finish_reason!, answer.usage!).output)).toEqual(due);
        const own = decoder();
        const chunks = [...events(blocks).flatMap(([called, event]) => own.event(called, JSON.stringify(event)) ?? []), ...own.end()];
        const { usage } = chunks.at(-1)!;
        const told = [
          ...chunks.map(({ choices }) => ({ choices })).filter(({ choices }) => choices.length > 0),
          { choices: [], usage: usage! },
        ];
        const message = StreamedMessage.of(messageEvents(written(new MessageEvents(envelope, carriedTexts), told)));
        expect(blocksIn(message.content)).toEqual(due);
        const { output } = ResponseStreamMachine.run(named(written(new ResponseEvents(response, options, roomForAll()), told)));
        expect(partsIn(output)).toEqual(due);
        for (const text of [JSON.stringify(chatCompletion(envelope, answer)), ...written(new ChatEvents(envelope, true), told)])
          expect(text).not.toContain('hosted_items');
      }),
      { numRuns: 200 },
    );
  });
});

const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: word }),
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record(
      { url: fc.constant('data:image/png;base64,AAAA'), detail: fc.constantFrom('low', 'high') },
      { requiredKeys: ['url'] },
    ),
  }),
  fc.record({
    type: fc.constant('input_audio'),
    input_audio: fc.record({ data: fc.constant('AAAA'), format: fc.constantFrom('wav', 'mp3') }),
  }),
  fc.record({ type: fc.constant('file'), file: fc.record({ file_data: fc.constant('data:application/pdf;base64,AAAA'), filename: name }) }),
);
const content = fc.oneof(word, fc.array(part, { minLength: 1, maxLength: 3 }));
const call = fc.record({
  id: name,
  type: fc.constant('function'),
  function: fc.record({ name, arguments: fc.dictionary(name, word, { maxKeys: 2 }).map((given) => JSON.stringify(given)) }),
});
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer'), content: word, name }, { requiredKeys: ['role', 'content'] }),
  fc.record({ role: fc.constant('user'), content, name }, { requiredKeys: ['role', 'content'] }),
  fc.record({ role: fc.constant('assistant'), content: word, refusal: word }, { requiredKeys: ['role', 'content'] }),
  fc.record({ role: fc.constant('assistant'), content: fc.constant(null), tool_calls: fc.array(call, { minLength: 1, maxLength: 3 }) }),
  fc.record({ role: fc.constant('tool'), tool_call_id: name, content: word }),
);
const schema = fc.constant({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false });
const chat = fc.record(
  {
    messages: fc.array(message, { minLength: 1, maxLength: 5 }),
    temperature: fc.constantFrom(0, 0.5, 2),
    top_p: fc.constantFrom(0.1, 1),
    n: fc.integer({ min: 2, max: 3 }),
    max_tokens: fc.integer({ min: 1, max: 900 }),
    stop: fc.array(word, { minLength: 1, maxLength: 3 }),
    seed: fc.integer(),
    presence_penalty: fc.constantFrom(-1, 0.5),
    frequency_penalty: fc.constantFrom(-1, 0.5),
    logit_bias: fc.constant({ '50256': -100 }),
    logprobs: fc.constant(true),
    user: name,
    tools: fc.array(
      fc.record({
        type: fc.constant('function'),
        function: fc.record({ name, description: word, parameters: schema, strict: fc.boolean() }, { requiredKeys: ['name'] }),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    parallel_tool_calls: fc.boolean(),
    response_format: fc.oneof(
      fc.constant({ type: 'json_object' }),
      schema.map((own) => ({ type: 'json_schema', json_schema: { name: 'a', schema: own, strict: true } })),
    ),
    reasoning_effort: fc.constantFrom('low', 'high'),
    metadata: fc.dictionary(name, word, { maxKeys: 2 }),
    verbosity: fc.constant('low'),
    service_tier: fc.constantFrom('auto', 'flex'),
    prompt_cache_key: name,
    safety_identifier: name,
    prediction: fc.constant({ type: 'content', content: 'a' }),
    web_search_options: fc.constant({ search_context_size: 'low' }),
  },
  { requiredKeys: ['messages'] },
);

const choice = fc.constantFrom('auto', 'none', 'required', 'named');

describe('A request in the format of chat completions', () => {
  const pipe = new WireValidationPipe(CreateChatCompletionDto, 'extra');

  it('loses nothing on its way to the canonical form and back', () => {
    fc.assert(
      // Without tools there are no calls at once, and none to choose; vendors refuse to be told so.
      fc.property(chat, choice, fc.integer({ min: 1, max: 20 }), ({ parallel_tool_calls, ...rest }, chosen, top_logprobs) => {
        const first = { type: 'function', function: { name: rest.tools?.[0]?.function.name } };
        const ofTools = { parallel_tool_calls, tool_choice: chosen === 'named' ? first : chosen };
        const asked = { ...rest, ...(rest.tools && ofTools), ...(rest.logprobs && { top_logprobs }) };
        const canonical = chatRequest(pipe.transform({ model: 'm', ...asked }));
        const sent = JSON.parse(JSON.stringify(chatCompletionsRequest(canonical, 'm'))) as object;
        expect(sent).toMatchObject(JSON.parse(JSON.stringify(asked)) as object);
      }),
    );
  });
});
