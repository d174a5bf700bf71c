import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { Responses } from 'openai/resources/responses/responses';
import { StreamedMessage } from '../src/messages/testing/streamed-message.js';
import { presets } from '../src/providers/openai-compatible/presets.js';
import { openaiTools } from '../src/providers/openai-compatible/presets/openai.js';
import { anything } from '../src/providers/testing/strict-vendors/strict-vendors.js';
import { collect } from '../src/providers/testing/collect.js';
import {
  describeRecorded,
  expectedUsage,
  recordedArguments,
  recordedBody,
  type Recording,
  recordingsOf,
  saysNothing,
} from '../src/providers/testing/recordings.js';
import type { AnthropicMessage, MessageStreamEvent } from '../src/wire/anthropic-message.js';
import { type EmbeddingList, floatsOf } from '../src/wire/embedding.js';
import type { GenerationChunk } from '../src/wire/generation.js';
import type { Usage } from '../src/wire/usage.js';
import { blocksOf, eventsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { ResponseStreamMachine } from './support/response-stream.js';
import { useGateway, useUpstream } from './support/started.js';

type Body = Record<string, unknown>;

/** What an answer says, in no format. */
interface Answer {
  readonly choices: readonly {
    readonly index: number;
    readonly text: string;
    readonly reasoning: string;
    readonly refusal: string;
    readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
    readonly finish: string | null;
  }[];
  readonly prompt: number;
  readonly completion: number;
  readonly total: number;
  readonly details: Required<Recording['expect']>['details'];
  /** Types of items, where the format has items. */
  readonly items?: readonly string[];
}

/** A format of clients. */
interface Format {
  /** Below `/v1/`. */
  readonly path: string;
  /** @returns undefined for what the format cannot ask or tell */
  readonly body: (recording: Recording) => Body | undefined;
  /** What a request has beside its body to be streamed. */
  readonly streaming: Body;
  /** @throws where the events do not come in the order that the format demands */
  readonly read: (text: string, streamed: boolean) => Answer;
  /** The expectations in the words of the format. */
  readonly expects?: (choice: Choice) => Choice;
}

type Choice = Answer['choices'][number];

const several = ({ expect: { choices = [] } }: Recording): number => Math.max(choices.length, 1);

const chat: Format = {
  path: 'chat/completions',
  streaming: { stream: true, stream_options: { include_usage: true } },
  body(recording) {
    const { responses: _responses, ...ask } = recording.ask;
    return { ...ask, ...(several(recording) > 1 && { n: several(recording) }) };
  },
  read: readChoices,
};

const completions: Format = {
  path: 'completions',
  streaming: chat.streaming,
  body(recording) {
    const { messages, prompt = messages?.at(-1)?.content, tools, logprobs: _logprobs, responses: _responses, ...ask } = recording.ask;
    const { choices = [] } = recording.expect;
    if (tools || choices.some(({ refusal }) => refusal)) return undefined;
    // The gateway asks for one prompt at a time: several of one exchange are as many choices of the first.
    return { ...ask, prompt: [prompt].flat()[0], ...(choices.length > 1 && { n: choices.length }) };
  },
  read: readChoices,
  expects: (choice) => ({ ...choice, reasoning: '' }),
};

const messages: Format = {
  path: 'messages',
  streaming: { stream: true },
  body(recording) {
    const { messages: turns, tools, max_tokens = 4_096, temperature, stop } = recording.ask;
    if (several(recording) > 1) return undefined;
    const declared = tools?.map(({ function: { name, description, parameters } }) => ({ name, description, input_schema: parameters }));
    return { messages: turns, tools: declared, max_tokens, temperature, stop_sequences: stop };
  },
  read(text, streamed) {
    const events = streamed ? blocksOf(text).map((block) => JSON.parse(block.split('\ndata: ')[1]!) as MessageStreamEvent) : [];
    const { content, stop_reason, usage } = streamed ? StreamedMessage.of(events) : (JSON.parse(text) as AnthropicMessage);
    const [cached, written] = [usage.cache_read_input_tokens, usage.cache_creation_input_tokens];
    const prompt = usage.input_tokens + cached + written;
    const choice = {
      index: 0,
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      refusal: '',
      calls: content.flatMap((block) =>
        block.type === 'tool_use'
          ? [
              {
                id: block.id,
                name: block.name,
                arguments: 'INVALID_JSON' in block.input ? recordedArguments(block.input['INVALID_JSON'] as string) : block.input,
              },
            ]
          : [],
      ),
      finish: reasons[stop_reason ?? ''] ?? null,
    };
    return {
      choices: [choice],
      prompt,
      completion: usage.output_tokens,
      total: prompt + usage.output_tokens,
      details: { cached, cache_write: written, reasoning: usage.output_tokens_details?.thinking_tokens ?? 0 },
    };
  },
  expects: ({ text, refusal, ...choice }) => ({ ...choice, text: text + refusal, refusal: '' }),
};

/** The ends of a message in the words of chat completions. */
const reasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

const responses: Format = {
  path: 'responses',
  streaming: { stream: true },
  body(recording) {
    const { messages: input, tools = [], max_tokens, temperature, responses: { tools: own = [], ...more } = {} } = recording.ask;
    if (several(recording) > 1) return undefined;
    const declared = tools.map(({ type, function: called }) => ({ type, strict: false, ...called }));
    return { input, max_output_tokens: max_tokens, temperature, tools: [...declared, ...own], ...more };
  },
  read(text, streamed) {
    const { output, status, incomplete_details, usage } = streamed
      ? ResponseStreamMachine.run(text)
      : (JSON.parse(text) as Responses.Response);
    const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
    const thoughts = output.flatMap((item) => (item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])] : []));
    const calls = output.flatMap((item) =>
      item.type === 'function_call' ? [{ id: item.call_id, name: item.name, arguments: recordedArguments(item.arguments) }] : [],
    );
    const cut = incomplete_details?.reason === 'content_filter' ? 'content_filter' : 'length';
    const { input_tokens, output_tokens, total_tokens, input_tokens_details: read, output_tokens_details } = usage!;
    const choice = {
      index: 0,
      text: parts.map((part) => (part.type === 'refusal' ? '' : part.text)).join(''),
      reasoning: thoughts.map((part) => part.text).join(''),
      refusal: parts.map((part) => (part.type === 'refusal' ? part.refusal : '')).join(''),
      calls,
      finish: status === 'incomplete' ? cut : calls.length > 0 ? 'tool_calls' : 'stop',
    };
    return {
      choices: [choice],
      prompt: input_tokens,
      completion: output_tokens,
      total: total_tokens,
      details: { cached: read.cached_tokens, cache_write: read.cache_write_tokens, reasoning: output_tokens_details.reasoning_tokens },
      items: output.map(({ type }) => type),
    };
  },
};

function readChoices(text: string, streamed: boolean): Answer {
  type Told = GenerationChunk & { usage: Usage | null };
  const chunks = streamed ? eventsOf<Told>(text) : [asChunk(text)];
  const { choices, usage } = collect(chunks.map(({ choices: told, usage: counted }) => ({ choices: told, usage: counted ?? undefined })));
  return {
    choices: choices.map(({ index, text: said, reasoning, refusal, toolCalls, finishReason }) => ({
      index,
      text: said ?? '',
      reasoning: reasoning ?? '',
      refusal: refusal ?? '',
      calls: toolCalls.map((call) => ({ ...call, arguments: recordedArguments(call.arguments) })),
      finish: finishReason,
    })),
    prompt: usage?.prompt_tokens ?? 0,
    completion: usage?.completion_tokens ?? 0,
    total: usage?.total_tokens ?? 0,
    details: {
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      cache_write: usage?.prompt_tokens_details?.cache_creation_tokens ?? 0,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    },
  };
}

function asChunk(text: string): GenerationChunk & { usage: Usage } {
  interface Whole {
    message?: { role: 'assistant'; content: string | null; tool_calls?: object[] };
    finish_reason: string;
  }
  const { choices, usage } = JSON.parse(text) as { choices: Whole[]; usage: Usage };
  const told = choices.map(({ message, ...choice }) => ({
    ...choice,
    ...(message && { delta: { ...message, tool_calls: message.tool_calls?.map((call, index) => ({ index, ...call })) } }),
  }));
  return { choices: told, usage } as unknown as GenerationChunk & { usage: Usage };
}

interface Wire {
  /** Type of provider; absent: the preset of the recorded vendor, or any address of the OpenAI format. */
  readonly type?: string;
  /** Below its address. */
  readonly path?: string;
  readonly options?: object;
  /** Those in which its exchanges are asked for. */
  readonly formats: Readonly<Record<string, Format>>;
  /** That of the wire's own requests, where clients have it. */
  readonly own?: Format;
}

const all = { chat, messages, responses, completions };
const cloud = { project: 'harbour-1', location: 'global' };
const aws = { type: 'bedrock', options: { region: 'us-east-1' } };

/** By the manifest's wires, and by clouds that use one. Embeddings are below. */
const wires: Readonly<Record<string, Wire>> = {
  'openai-chat': { formats: all, own: chat, options: { responses: false } },
  'openai-completions': { path: '/v1', formats: { completions }, own: completions },
  'openai-responses': { formats: { responses }, own: responses, options: { responses: true, hosted_tools: openaiTools } },
  anthropic: { type: 'anthropic', formats: all, own: messages },
  'vertex-anthropic': { type: 'vertex', options: cloud, formats: all, own: messages },
  gemini: { type: 'gemini', path: '/v1beta', formats: all },
  'vertex-gemini': { type: 'vertex', options: cloud, formats: all },
  // Claude is asked by InvokeModel for what is written as messages, and by Converse for all else.
  'bedrock-converse': { ...aws, formats: all },
  'bedrock-invoke': { ...aws, formats: { messages }, own: messages },
  'cohere-v2': { type: 'cohere', formats: all },
  ollama: { type: 'ollama', formats: all },
};

/** Those in which embeddings are asked for. */
const embeddingWires: typeof wires = {
  'openai-embeddings': { formats: {} },
  'cohere-embed': { type: 'cohere', formats: {} },
  'bedrock-embed': { ...aws, formats: {} },
  'gemini-embed': { type: 'gemini', path: '/v1beta', formats: {} },
};

/** Servers that have grown the parameter `n` are asked for several choices one by one, but where the address is any. */
const presetOf = (one: Recording): string | undefined =>
  several(one) > 1
    ? undefined
    : presets.find(({ type, responses: has }) => type === one.provider && (has || one.wire !== 'openai-responses'))?.type;

/** Vertex AI serves both vendors' models, and knows Anthropic's by their names. */
const onVertex: Readonly<Record<string, string>> = { anthropic: 'claude-vertex-', gemini: 'vertex-' };
const recordings = recordingsOf(wires).flatMap((one) => {
  const prefix = onVertex[one.wire];
  return prefix ? [one, { ...one, wire: `vertex-${one.wire}`, id: prefix + one.id }] : [one];
});

const vectors = recordingsOf(embeddingWires);
const wireOf = ({ wire }: Recording): Wire => (wires[wire] ?? embeddingWires[wire])!;
const providerOf = (one: Recording): string => (wireOf(one).type ? one.wire : `${one.wire}-${one.provider}-${presetOf(one) ?? 'any'}`);

/** What of real clients' own requests is refused, by the messages of the errors. */
const refused: readonly RegExp[] = [
  // Sound as output.
  /does not support the parameter 'modalities'/,
  // Tools that OpenRouter runs.
  /tools\[\d+\]\.type must be 'function' or 'custom'/,
  // Answers with sources.
  /citations is not supported/,
  // Tools that Vertex AI does not run.
  /does not have the hosted tool/,
  // Files that the vendor stores.
  /source\.type must be 'base64'/,
];

/**
 * Requests that vendors took although their schemas do not: an image without `detail`, a tool without `container`, a
 * temperature with `anthropic-beta`.
 */
const tooStrict = /openrouter-responses-text-stream|azure-responses-text-cached-hosted-stream|anthropic-text-hosted-cites-signed-stream-2/;

describeRecorded(recordings, 'recorded exchanges through the gateway', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const embeds = { chat: false, completion: false, embeddings: true };
    const capabilities = { chat: true, completion: false, function_calling: true, vision: true, json_mode: true };
    const entries = Object.values(Object.groupBy([...recordings, ...vectors], providerOf)).map((some) => {
      const [one] = some as [Recording];
      const { wire, provider } = one;
      const { type, path = type ? '' : `/${provider}/v1`, options = {} } = wireOf(one);
      const legacy = wire === 'openai-completions' ? { completion: true, chat: false } : {};
      // A model for each, so that the failures of one pause no other.
      const models = some!.map(({ id, model }) => [
        id,
        {
          capabilities: wire in embeddingWires ? embeds : { ...capabilities, ...legacy },
          context_length: 1_000_000,
          max_tokens: 500_000,
          completions_via_chat: !(wire in embeddingWires),
          ...(model && wire !== 'bedrock-converse' && { upstream_model: model }),
        },
      ]);
      const entry = { type: type ?? presetOf(one) ?? 'openai-compatible', base_url: `${upstream.origin}${path}` };
      return [providerOf(one), { ...entry, api_key: 'sk-recorded', free: true, models: Object.fromEntries(models) as object, options }];
    });
    return Gateway.start({ providers: Object.fromEntries(entries) as object, routing: { retries: 0 } });
  });

  const rows = recordings.flatMap((recording) =>
    Object.entries(wires[recording.wire]!.formats).flatMap(([name, format]) => {
      const body = format.body(recording);
      return body
        ? [false, true].map(
            (streamed) => [recording.id, name, streamed ? 'streamed' : 'whole', { recording, format, body, streamed }] as const,
          )
        : [];
    }),
  );
  const natives = recordings.flatMap((recording) => {
    const { own: format } = wires[recording.wire]!;
    if (!format || !recording.native_request) return [];
    const { model: _model, stream: _stream, anthropic_version: _version, ...body } = readJson(recording.native_request);
    return [false, true].map(
      (streamed) => [recording.id, 'as asked', streamed ? 'streamed' : 'whole', { recording, format, body, streamed }] as const,
    );
  });

  const ask = (format: Format, body: Body, streamed: boolean) =>
    gateway
      .post(format.path, { ...body, ...(streamed ? format.streaming : { stream_options: undefined }) })
      .buffer(true)
      .parse((response, done) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => done(null, Buffer.concat(chunks).toString()));
      });

  it.each([...rows, ...natives])('%s, %s, %s', async (_id, name, _mode, { recording, format, body, streamed }) => {
    const native = name === 'as asked';
    upstream.accepts = tooStrict.test(recording.id) ? anything : undefined;
    const { expect: expected } = recording;
    upstream.replies(replyOf(recording));
    const response = await ask(format, { ...body, model: recording.id }, streamed);
    const text = response.body as string;
    if (expected.error || (saysNothing(recording) && response.status !== 200)) {
      const { error } = JSON.parse(text) as { error: Record<string, unknown> };
      expect(error).toMatchObject({ message: expect.stringMatching(/\S/) as unknown, type: expect.stringMatching(/\S/) as unknown });
      expect(response.status).toBeGreaterThanOrEqual(400);
      return;
    }
    if (expected.stream_error) {
      if (streamed) expect(text).toMatch(/error/);
      else expect(response.status).toBeGreaterThanOrEqual(400);
      return;
    }
    if (response.status === 400 && native && refused.some((reason) => reason.test(text))) return;
    expect([response.status, text]).toEqual([200, text]);
    const answer = format.read(text, streamed);
    expect(answer.choices).toHaveLength(expected.choices!.length);
    for (const { index, text: said, reasoning, refusal, tool_calls = [], finish } of expected.choices!) {
      const calls = tool_calls.map((call) => ({ ...call, id: call.id ?? (expect.any(String) as unknown as string) }));
      const told = { index, text: said ?? '', reasoning: reasoning ?? '', refusal: refusal ?? '', calls, finish: null };
      const { finish: end, text: words, ...choice } = answer.choices[index]!;
      const { finish: _finish, text: due, ...facts } = format.expects?.(told) ?? told;
      expect([due, ...(expected.text_also ?? [])]).toContain(words);
      expect(choice).toEqual(facts);
      if (finish) expect(finish).toContain(end);
    }
    if (answer.items && expected.items) expect(answer.items).toEqual(expected.items);
    const { prompt, completion, total, details } = answer;
    expect(total).toBe(prompt + completion);
    const usage = expectedUsage(recording, prompt);
    if (usage) {
      expect(prompt).toBe(usage.prompt_tokens);
      expect(total).toBe(Math.max(usage.total_tokens, usage.prompt_tokens + (usage.completion_tokens ?? 0)));
    } else expect(completion).toBeGreaterThan(0);
    // Parts that are more than the whole contradict it.
    const { cached = 0, cache_write = 0, reasoning = 0 } = expected.details ?? {};
    if (cached + cache_write <= prompt && reasoning <= completion) expect(details).toMatchObject(expected.details ?? {});
  });

  const asked = vectors.flatMap((recording) => {
    const { responses: _, ...body } = recording.ask;
    const { model: _model, ...own } =
      recording.native_request && recording.wire === 'openai-embeddings' ? readJson(recording.native_request) : {};
    // Base64 of floats comes where it is asked for.
    const formats =
      recording.wire === 'cohere-embed'
        ? (['float'] as const)
        : body.encoding_format === 'base64'
          ? (['base64'] as const)
          : (['float', 'base64'] as const);
    return formats.flatMap((format) =>
      [body, { ...body, ...own }].map(
        (one) => [recording.id, format, { recording, format, body: { ...one, encoding_format: format } }] as const,
      ),
    );
  });

  const compare = async ({ recording, format, body }: (typeof asked)[number][2]): Promise<void> => {
    const { error, embeddings: due, usage: counted } = recording.expect;
    upstream.replies(replyOf(recording));
    const answer = await gateway.post('embeddings', { ...body, model: recording.id });
    if (error) return expect(answer.status).toBeGreaterThanOrEqual(400);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    const { data, usage } = answer.body as EmbeddingList;
    const numbers = data.map(({ embedding }) => {
      expect(typeof embedding).toBe(format === 'base64' ? 'string' : 'object');
      return typeof embedding === 'string' ? [...floatsOf(embedding)!] : embedding.map(Math.fround);
    });
    expect([data.length, ...numbers.map(({ length }) => length)]).toEqual([due!.count, ...data.map(() => due!.dimensions)]);
    expect(numbers[0]!.slice(0, due!.head.length)).toEqual(due!.head.map(Math.fround));
    expect(numbers.at(-1)!.slice(-due!.tail.length)).toEqual(due!.tail.map(Math.fround));
    if (counted) expect(usage.prompt_tokens).toBe(counted.prompt_tokens);
  };
  // Some folders have none.
  for (const [id, format, one] of asked) it(`${id}, ${format}`, () => compare(one));
});

function readJson(path: string): Body {
  return JSON.parse(readFileSync(path, 'utf8')) as Body;
}

function replyOf(recording: Recording) {
  const { mode, headers, status } = recording;
  const body = recordedBody(recording);
  const [cuts = []] = fc.sample(fc.uniqueArray(fc.nat({ max: body.length }), { maxLength: 40 }), { numRuns: 1, seed: body.length });
  const type = mode === 'stream' ? 'text/event-stream' : 'application/json';
  return { status, headers: { 'content-type': type, ...headers }, body, cuts: cuts.sort((a, b) => a - b) };
}
