import { planTerms } from '../src/inference/planning/testing/keyed-names.js';
import fc from 'fast-check';
import { type Offer, offerOf } from '../src/catalogue/offer.js';
import { chatRequest } from '../src/chat/chat-completion.mapping.js';
import { CreateChatCompletionDto } from '../src/chat/create-chat-completion.dto.js';
import { completionPlan, completionRequests } from '../src/completions/completion.mapping.js';
import { CreateCompletionDto } from '../src/completions/create-completion.dto.js';
import { providerSchema } from '../src/config/config.schema.js';
import { WireValidationPipe } from '../src/http/requests/wire-validation.pipe.js';
import { planCalls } from '../src/inference/planning/plan-calls.js';
import { BufferList } from '../src/json/buffer-list.js';
import { parseWhole } from '../src/json/testing/parse-whole.js';
import { OpenAICompatibleProvider } from '../src/providers/openai-compatible/openai-compatible.provider.js';
import { ChatCompletionsProtocol } from '../src/providers/protocols/chat-completions/chat-completions.protocol.js';
import { testCall } from '../src/providers/testing/call.js';
import { readAll } from '../src/providers/testing/collect.js';
import { CreateMessageDto } from '../src/messages/create-message.dto.js';
import { messageRequest } from '../src/messages/message-request.js';
import { factsOf } from '../src/providers/model-facts/claude/claude-facts.js';
import { nativeBody } from '../src/providers/protocols/anthropic-messages/native.js';
import { CreateResponseDto } from '../src/responses/create-response.dto.js';
import { responseRequest } from '../src/responses/response.mapping.js';
import { HttpTransport } from '../src/providers/transport/http-transport.js';
import { type GenerationRequest, isOverInputs } from '../src/wire/generation.js';
import { carriedReader, carriedTexts } from '../src/inference/carried/testing/carried-texts.js';
import { anything } from '../src/providers/testing/strict-vendors/strict-vendors.js';
import { useUpstream } from './support/started.js';

const chatPipe = new WireValidationPipe(CreateChatCompletionDto, 'extra');
const messagePipe = new WireValidationPipe(CreateMessageDto, 'extra');
const responsePipe = new WireValidationPipe(CreateResponseDto, 'extra');
const completionPipe = new WireValidationPipe(CreateCompletionDto, 'extra');

/** What the endpoint makes of the bytes of a body. */
function requestsOf(body: object): readonly [GenerationRequest, ...GenerationRequest[]] {
  const parsed = parseWhole(new BufferList([Buffer.from(JSON.stringify(body))]));
  if ('messages' in body && 'max_tokens' in body) return [messageRequest(messagePipe.transform(parsed), {}, carriedReader())];
  if ('messages' in body) return [chatRequest(chatPipe.transform(parsed))];
  if ('input' in body) return [responseRequest(responsePipe.transform(parsed), carriedReader())];
  const dto = completionPipe.transform(parsed);
  return completionRequests(dto, completionPlan(dto));
}

/** The UTF-8 bytes of every text, name and number in JSON. */
function bytesIn(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return String(value).length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, one]) => sum + (Array.isArray(value) ? 0 : bytesIn(name)) + bytesIn(one), 0);
}

/**
 * What the endpoint has checked to be a number of its range, and the name of the model: no text, however it is chosen.
 */
const checked = ['model', 'temperature', 'seed', 'max_tokens'];

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
  fc.constantFrom('"\\\n', 'ž', '👋', 'x'.repeat(5_000), '\n"'.repeat(9_000)),
);
const some = text.filter((one) => one !== '');
const any = fc.oneof({ arbitrary: fc.jsonValue(), weight: 2 }, text, fc.array(text), fc.dictionary(text, text));
/** Fields of any name, beside those that a record has. */
const more = fc.dictionary(
  text.filter((name) => name !== 'function_call'),
  any,
  { maxKeys: 3 },
);
const record = (model: Record<string, fc.Arbitrary<unknown>>, optional: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc
    .tuple(more, fc.record({ ...model, ...optional }, { requiredKeys: Object.keys(model) }))
    .map(([unknown, known]) => ({ ...unknown, ...known }));

const part = fc.oneof(record({ type: fc.constant('text'), text }), record({ type: fc.constantFrom('refusal', 'thinking', 'reference') }));
const content = fc.oneof(text, fc.array(part, { minLength: 1, maxLength: 3 }));
const call = record({ id: some, type: fc.constant('function'), function: record({ name: some, arguments: text }) });
const message = fc.oneof(
  record({ role: fc.constantFrom('system', 'developer', 'user'), content }, { name: text }),
  record({ role: fc.constant('assistant'), content }, { tool_calls: fc.array(call, { maxLength: 2 }), refusal: text }),
  record({ role: fc.constant('tool'), content, tool_call_id: some }),
);
const tool = record({
  type: fc.constant('function'),
  function: record({ name: fc.string({ minLength: 1, maxLength: 20 }) }, { parameters: more, description: text }),
});
const format = fc.oneof(
  record({ type: fc.constantFrom('text', 'json_object') }),
  record({ type: fc.constant('json_schema'), json_schema: record({ name: fc.constant('s') }, { schema: more }) }),
);
const settings = {
  stop: fc.oneof(some, fc.array(some, { maxLength: 4 })),
  user: fc.string(),
  logit_bias: fc.dictionary(fc.nat().map(String), fc.integer({ min: -100, max: 100 })),
  seed: fc.integer(),
  temperature: fc.float({ min: 0, max: 2, noNaN: true }),
};
const model = fc.constant('m');
const chat = record(
  { model, messages: fc.array(message, { minLength: 1, maxLength: 4 }) },
  { ...settings, tools: fc.array(tool, { minLength: 1, maxLength: 3 }), response_format: format, reasoning_effort: fc.string() },
);
const completion = record({ model, prompt: fc.oneof(some, fc.array(some, { minLength: 1, maxLength: 3 })) }, { ...settings, suffix: text });

const inputPart = fc.oneof(record({ type: fc.constant('input_text'), text }), record({ type: fc.constant('refusal'), refusal: text }));
const inputContent = fc.oneof(text, fc.array(inputPart, { maxLength: 3 }));
const said = (type: string, name: string) =>
  record({ type: fc.constant(type), call_id: some, name: some, [name]: text }, { namespace: text });
const answered = (type: string) => record({ type: fc.constant(type), call_id: some, output: inputContent });
const summary = fc.array(record({ type: fc.constant('summary_text'), text }), { maxLength: 2 });
const item = fc.oneof(
  record({ role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content: inputContent }),
  said('function_call', 'arguments'),
  said('custom_tool_call', 'input'),
  answered('function_call_output'),
  answered('custom_tool_call_output'),
  record(
    { type: fc.constant('reasoning'), summary },
    {
      encrypted_content: fc.oneof(
        text,
        text.map((signature) => carriedTexts.write({ block: { type: 'thinking', signature } })),
      ),
    },
  ),
);
const toolName = fc.string({ minLength: 1, maxLength: 20 });
const callable = fc.oneof(
  record({ type: fc.constant('function'), name: toolName }, { parameters: more, description: text }),
  record(
    { type: fc.constant('custom'), name: toolName, description: text },
    {
      format: fc.record({ type: fc.constant('grammar'), syntax: fc.constant('lark'), definition: text }),
    },
  ),
);
const space = record({ type: fc.constant('namespace'), name: toolName, tools: fc.array(callable, { maxLength: 2 }) });
const answerFormat = fc.oneof(
  record({ type: fc.constantFrom('text', 'json_object') }),
  record({ type: fc.constant('json_schema'), name: fc.constant('s') }, { schema: more, description: text }),
);
const response = record(
  { model, input: fc.oneof(text, fc.array(item, { minLength: 1, maxLength: 4 })) },
  {
    instructions: text,
    user: fc.string(),
    temperature: settings.temperature,
    tools: fc.array(fc.oneof(callable, space), { minLength: 1, maxLength: 3 }),
    text: fc.record({ format: answerFormat }),
    reasoning: fc.record({ effort: fc.string({ minLength: 1, maxLength: 60 }) }),
  },
);

/** Few have a mark: where the offer does not take it, the request does not go on as it came. */
const marks = fc.constantFrom({}, {}, {}, {}, {}, { cache_control: { type: 'ephemeral', ttl: '1h' } });
const block = (type: string, members: Record<string, fc.Arbitrary<unknown>>, optional = {}) =>
  fc.tuple(record({ type: fc.constant(type), ...members }, optional), marks).map(([one, mark]) => ({ ...one, ...mark }));
const shown = fc.oneof(
  block('text', { text }),
  block(
    'document',
    { source: record({ type: fc.constant('text'), media_type: fc.constant('text/plain'), data: text }) },
    { title: text, context: text },
  ),
  block('search_result', { source: text, title: text, content: fc.array(block('text', { text }), { maxLength: 2 }) }),
);
const result = block('tool_result', { tool_use_id: some }, { content: fc.oneof(text, fc.array(shown, { maxLength: 2 })) });
const spoken = fc.oneof(
  block('text', { text }),
  block('thinking', { thinking: text, signature: some }),
  block('redacted_thinking', { data: text }),
  block('tool_use', { id: some, name: some, input: more }),
);
const turn = fc.oneof(
  record({ role: fc.constant('user'), content: fc.oneof(text, fc.array(fc.oneof(shown, result), { minLength: 1, maxLength: 3 })) }),
  record({ role: fc.constant('assistant'), content: fc.array(spoken, { minLength: 1, maxLength: 3 }) }),
);
const messageBody = record(
  { model, max_tokens: fc.constant(50), messages: fc.array(turn, { minLength: 1, maxLength: 4 }) },
  {
    system: fc.oneof(text, fc.array(block('text', { text }), { maxLength: 2 })),
    stop_sequences: fc.array(some, { maxLength: 4 }),
    metadata: record({ user_id: fc.string() }),
    tools: fc.array(record({ name: toolName, input_schema: more }, { description: text }), { minLength: 1, maxLength: 3 }),
    output_config: record({ format: record({ type: fc.constant('json_schema'), schema: more }) }),
  },
);

/** Names and words of the formats, which tell a model nothing, and are not chosen by a client. */
const structure = new Set(
  'messages role content type text source media_type data title context cache_control ephemeral ttl 1h tool_use_id tool_result thinking signature redacted_thinking tool_use id name input system tools input_schema description stop_sequences metadata user_id output_config format schema json_schema user assistant document search_result text/plain stream'.split(' '), // prettier-ignore
);

/** The bytes of a body without the words of the format, wherever they stand. */
function chosenBytes(value: unknown): number {
  if (typeof value === 'string') return structure.has(value) ? 0 : bytesIn(value);
  if (typeof value !== 'object' || value === null) return bytesIn(value);
  return Object.entries(value).reduce((sum, [name, one]) => sum + (Array.isArray(value) ? 0 : chosenBytes(name)) + chosenBytes(one), 0);
}

describe('The bound of a prompt', () => {
  const transport = new HttpTransport();
  let provider: OpenAICompatibleProvider;
  let offer: Offer;

  const upstream = useUpstream(anything);
  beforeAll(() => {
    provider = new OpenAICompatibleProvider(
      'p',
      providerSchema.parse({ base_url: upstream.origin }),
      new ChatCompletionsProtocol(transport),
      transport,
    );
    offer = offerOf(provider, {
      id: 'm',
      created: 1,
      price: { prompt: '0.5', completion: '1.5' },
      contextLength: 100_000_000,
      maxTokens: 100,
      capabilities: { chat: true, completion: true, function_calling: true, vision: false, embeddings: false, json_mode: true },
      parameters: ['stop', 'user', 'seed', 'temperature', 'logit_bias', 'suffix', 'tool_choice', 'reasoning_effort', '*'],
    });
  });

  afterAll(() => transport.onApplicationShutdown());

  it.each([
    ['chat', chat],
    ['completion', completion],
    ['response', response],
    ['message', messageBody],
  ] as const)(
    'covers every byte of every text, name and number that a provider is sent: %s',
    async (operation, bodies) => {
      let [tried, natives] = [0, 0];
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          let calls;
          try {
            calls = planCalls(offer, requestsOf(body), planTerms);
          } catch (error) {
            // What is refused is not passed on.
            expect(error).toMatchObject({ code: expect.stringMatching(/^(invalid|unsupported)_/) });
            return;
          }
          tried++;
          for (const { request, promptBound } of calls) {
            if (isOverInputs(request)) continue;
            upstream.replies({ status: 500 });
            await readAll(provider.generate(request, testCall())).catch(() => undefined);
            const sent = JSON.parse(upstream.requests[0]!.body) as Record<string, unknown>;
            for (const name of checked) delete sent[name];
            expect(promptBound).toBeGreaterThanOrEqual(chosenBytes(sent));
            const native =
              request.operation === 'chat' ? nativeBody(request, 'm', factsOf('claude-opus-5-5').traits, () => undefined) : undefined;
            if (!native) continue;
            natives++;
            expect(promptBound).toBeGreaterThanOrEqual(chosenBytes({ ...native, model: 0, max_tokens: 0 }));
          }
        }),
        { numRuns: 150 },
      );
      expect(tried).toBeGreaterThan(50);
      if (operation === 'message') expect(natives).toBeGreaterThan(20);
    },
    60_000,
  );
});
