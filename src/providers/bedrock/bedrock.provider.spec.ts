import { SignatureV4 } from '@smithy/signature-v4';
import { createHash } from 'node:crypto';
import { Sha256 } from '@aws-crypto/sha256-js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { type Usage, usageOf } from '../../wire/usage.js';
import { embeddings } from '../testing/call.js';
import { describeProvider } from '../testing/describe-provider.js';
import type { CollectedChoice } from '../testing/collect.js';
import type { RecordedRequest } from '../testing/loopback-upstream.js';
import type { SuiteEntry } from '../testing/provider-suite.js';
import { HttpTransport } from '../transport/http-transport.js';
import { awsPackages } from './aws-packages.js';
import { BedrockProvider } from './bedrock.provider.js';
import { EVENT_FRAMES } from './event-frames.js';
import { block, exceptionFrame, frame, frameEnds, streamOf } from './testing/frames.js';

const packages = await awsPackages();
const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const accessKeyId = 'AKIDEXAMPLE';

const chat: ChatGenerationRequest = { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: 'hello' }] };

interface Told {
  readonly content: readonly object[];
  readonly events: Parameters<typeof streamOf>[0];
  readonly stopReason: string;
  readonly usage: object;
}

const answer = (name: string, { content, events, stopReason, usage }: Told, choice: Partial<CollectedChoice>, expected: Usage) => ({
  name,
  request: chat,
  whole: Buffer.from(JSON.stringify({ output: { message: { role: 'assistant', content } }, stopReason, usage, metrics: { latencyMs: 9 } })),
  stream: streamOf(events, stopReason, { usage, metrics: { latencyMs: 9 } }),
  expect: { choices: [choice], usage: expected },
});

const text = answer(
  'text',
  {
    content: [{ text: 'Göteborg — 灯火 🌆' }],
    events: block(0, [{ text: 'Göteborg — ' }, { text: '灯火 🌆' }]),
    stopReason: 'end_turn',
    usage: { inputTokens: 11, outputTokens: 17, totalTokens: 28 },
  },
  { text: 'Göteborg — 灯火 🌆' },
  usageOf(11, 17),
);

const interleaved = answer(
  'interleaved',
  {
    content: [
      { reasoningContent: { reasoningText: { text: 'Then the clock.', signature: 'c2ln' } } },
      { text: 'Checking first.' },
      { toolUse: { toolUseId: 'tooluse_a', name: 'tide', input: { port: 'Žilina' } } },
      { reasoningContent: { redactedContent: 'cmVk' } },
      { toolUse: { toolUseId: 'tooluse_b', name: 'now', input: {} } },
    ],
    events: [
      ...block(0, [
        { reasoningContent: { text: 'Then ' } },
        { reasoningContent: { text: 'the clock.' } },
        { reasoningContent: { signature: 'c2ln' } },
      ]),
      ...block(1, [{ text: 'Checking ' }, { text: 'first.' }]),
      ...block(2, [{ toolUse: { input: '' } }, { toolUse: { input: '{"port":"Ži' } }, { toolUse: { input: 'lina"}' } }], {
        toolUse: { toolUseId: 'tooluse_a', name: 'tide' },
      }),
      ...block(3, [{ reasoningContent: { redactedContent: 'cmVk' } }]),
      ...block(4, [{ toolUse: { input: '' } }], { toolUse: { toolUseId: 'tooluse_b', name: 'now' } }),
    ],
    stopReason: 'tool_use',
    usage: {
      inputTokens: 4,
      outputTokens: 97,
      totalTokens: 2_245,
      cacheReadInputTokens: 2_048,
      cacheWriteInputTokens: 96,
      cacheDetails: [{ inputTokens: 96, ttl: '1h' }],
    },
  },
  {
    text: 'Checking first.',
    reasoning: 'Then the clock.',
    toolCalls: [
      { id: 'tooluse_a', name: 'tide', arguments: '{"port":"Žilina"}' },
      { id: 'tooluse_b', name: 'now', arguments: '{}' },
    ],
    finishReason: 'tool_calls',
  },
  {
    ...usageOf(2_148, 97),
    prompt_tokens_details: {
      cached_tokens: 2_048,
      cache_creation_tokens: 96,
      cache_creation_token_details: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 96 },
    },
  },
);

const modelList = JSON.stringify({
  modelSummaries: [
    {
      modelId: claude,
      inputModalities: ['TEXT', 'IMAGE'],
      outputModalities: ['TEXT'],
      inferenceTypesSupported: ['ON_DEMAND'],
      modelLifecycle: { status: 'ACTIVE' },
    },
  ],
  inferenceProfileSummaries: [{ inferenceProfileId: `us.${claude}`, status: 'ACTIVE', type: 'SYSTEM_DEFINED' }],
});

const damaged = frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Ah' } });
damaged[damaged.length - 8]! ^= 1;
const begun = [frame('messageStart', { role: 'assistant' }), frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Ah' } })];
const errorBody = (_status: number, message: string) => JSON.stringify({ message });

const suite = {
  embeddings: [
    {
      name: 'Titan',
      request: { ...embeddings, input: ['Žofia'], dimensions: 256, extra: { normalize: false } },
      upstreamModel: 'amazon.titan-embed-text-v2:0',
      sends: { inputText: 'Žofia', dimensions: 256, normalize: false },
      answer: '{"embedding":[0.25,1],"inputTextTokenCount":7}',
      expect: { embeddings: [[0.25, 1]], usage: usageOf(7, 0) },
    },
    {
      name: 'Cohere',
      request: embeddings,
      upstreamModel: 'eu.cohere.embed-v4:0',
      sends: { texts: ['Žofia', 'second'], input_type: 'search_document', embedding_types: ['float'] },
      headers: { 'x-amzn-bedrock-input-token-count': '9' },
      answer: '{"id":"1","response_type":"embeddings_by_type","embeddings":{"float":[[0.25,1],[0.5,-1]]},"texts":["a","b"]}',
      expect: { embeddings: [[0.25, 1], [0.5, -1]], usage: usageOf(9, 0) }, // prettier-ignore
    },
  ],
  errorBody,
  event: frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: '0123456789'.repeat(100) }, p: 'abc' }),
  contentTypes: { stream: EVENT_FRAMES },
  frameEnds,
  modelList,
  fixtures: [text, interleaved],
  failures: [
    {
      name: 'a throttled request',
      status: 429,
      headers: { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/coral/', 'retry-after': '3' },
      body: errorBody(429, 'Too many requests, please wait before trying again.'),
      kind: 'rate_limited' as const,
      retryAfterMs: 3_000,
    },
    {
      name: 'a damaged frame',
      streamed: true,
      body: Buffer.concat([damaged, text.stream]),
      kind: 'bad_response' as const,
    },
    {
      name: 'a throttled stream',
      streamed: true,
      body: Buffer.concat([...begun, exceptionFrame('throttlingException', '{"message":"Too many tokens"}')]),
      kind: 'rate_limited' as const,
      message: /Too many tokens/,
    },
  ],
};

const transports: HttpTransport[] = [];
const provider = ({ config }: SuiteEntry, change: object): BedrockProvider => {
  const transport = new HttpTransport();
  transports.push(transport);
  return new BedrockProvider('bedrock', { ...config, type: 'bedrock', ...change }, packages, { transport, hide: () => undefined });
};
const close = async () => {
  await Promise.all(transports.splice(0).map((transport) => transport.onApplicationShutdown()));
};

/** The signature of the request as AWS's own package makes it with AWS's own hash. */
const isSignedWith = async (request: RecordedRequest, secretAccessKey: string): Promise<boolean> => {
  const told = String(request.headers.authorization);
  const date = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(request.headers['x-amz-date']))!;
  const [path = '', query = ''] = request.path.split('?');
  const named = /SignedHeaders=([^,]+)/.exec(told)?.[1]!.split(';') ?? [];
  const { headers } = await new SignatureV4({
    service: 'bedrock',
    region: 'eu-central-1',
    sha256: Sha256,
    credentials: { accessKeyId, secretAccessKey },
  }).sign(
    {
      method: request.method,
      protocol: 'http:',
      hostname: '127.0.0.1',
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: Object.fromEntries(
        named.filter((name) => name !== 'x-amz-content-sha256').map((name) => [name, String(request.headers[name])]),
      ),
      body: request.bytes,
    },
    { signingDate: new Date(`${date[1]}-${date[2]}-${date[3]}T${date[4]}:${date[5]}:${date[6]}Z`) },
  );
  expect(request.headers['x-amz-content-sha256']).toBe(createHash('sha256').update(request.bytes).digest('hex'));
  return headers['authorization'] === told && !JSON.stringify(request.headers).includes(secretAccessKey);
};

describeProvider({
  ...suite,
  name: 'bedrock with signed requests',
  create: (entry) => {
    const options = { region: 'eu-central-1', access_key_id: accessKeyId, secret_access_key: entry.config.api_key };
    return provider(entry, { api_key: undefined, options });
  },
  close,
  carriesKey: isSignedWith,
});
