import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { usageOf } from '../../../wire/usage.js';
import type { ProviderFixture, ProviderSuite, SuiteEntry } from '../provider-suite.js';
import { BINARY, BinarySampleProvider, frame, frameEnds, signatureOf } from './binary-sample-provider.js';
import { SampleProvider } from './sample-provider.js';

const question: ChatGenerationRequest = {
  operation: 'chat',
  model: 'sample-1',
  stream: true,
  n: 1,
  max_tokens: 40,
  messages: [{ role: 'user', content: 'Ahoj' }],
};

const text = [{ text: 'Ahoj, ' }, { text: 'Žofia 👋' }, { finish: 'stop' }, { usage: { read: 4, written: 3 } }];
const tools = [
  { text: 'Let me see.' },
  { call: { index: 0, id: 'c1', name: 'weather' } },
  { arguments: { index: 0, text: '{"city":' } },
  { arguments: { index: 0, text: '"Žilina"}' } },
  { finish: 'tool_calls' },
  { usage: { read: 21, written: 8 } },
];

const wholeText = { text: 'Ahoj, Žofia 👋', finish: 'stop', usage: { read: 4, written: 3 } };
const wholeTools = {
  text: 'Let me see.',
  calls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Žilina"}' }],
  finish: 'tool_calls',
  usage: { read: 21, written: 8 },
};

function fixtures(stream: (events: readonly object[]) => Buffer): ProviderFixture[] {
  return [
    {
      name: 'text',
      request: question,
      sends: { model: 'upstream-model', limit: 40, messages: [{ role: 'user', content: 'Ahoj' }] },
      whole: Buffer.from(JSON.stringify(wholeText)),
      stream: stream(text),
      expect: { choices: [{ text: 'Ahoj, Žofia 👋' }], usage: usageOf(4, 3) },
    },
    {
      name: 'tools',
      request: { ...question, tools: [{ type: 'function', function: { name: 'weather' } }] },
      whole: Buffer.from(JSON.stringify(wholeTools)),
      stream: stream(tools),
      expect: {
        choices: [
          { text: 'Let me see.', toolCalls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Žilina"}' }], finishReason: 'tool_calls' },
        ],
        usage: usageOf(21, 8),
      },
    },
  ];
}

type Provider = new (...given: ConstructorParameters<typeof SampleProvider>) => SampleProvider;

const create =
  (provider: Provider) =>
  ({ config, services }: SuiteEntry) =>
    new provider('sample', config, services);

const sse = (events: readonly object[]) => Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
const errorBody = (_status: number, message: string) => JSON.stringify({ error: { message } });
const overloaded = [{ text: 'Ah' }, { error: { message: 'No room.', type: 'overloaded' } }];
const modelList = '{"models":["sample-1","sample-2"]}';

/** The suite of the sample, or of one with a fault. */
export function sampleSuite(provider: Provider = SampleProvider): ProviderSuite {
  return {
    name: 'sample',
    create: create(provider),
    errorBody,
    event: `data: {"text":"${'0123456789'.repeat(20)}"}\n\n`,
    fixtures: fixtures(sse),
    failures: [{ name: 'an error in the middle', streamed: true, body: sse(overloaded), kind: 'overloaded', message: /No room/ }],
    modelList,
  };
}

/** The suite of the sample in binary frames with signed requests, or of one with a fault. */
export function binarySuite(provider: Provider = BinarySampleProvider): ProviderSuite {
  const stream = (events: readonly object[]) => Buffer.concat(events.map(frame));
  const damaged = frame({ text: 'Ah' });
  damaged[6]! ^= 1;
  return {
    name: 'binary sample',
    create: create(provider),
    errorBody,
    event: frame({ text: '0123456789'.repeat(20) }),
    contentTypes: { stream: BINARY },
    frameEnds,
    carriesKey: ({ method, path, bytes, headers }, key) =>
      headers['x-sample-signature'] === signatureOf({ method, path }, bytes, key) && !JSON.stringify(headers).includes(key),
    fixtures: fixtures(stream),
    failures: [
      { name: 'an error in the middle', streamed: true, body: stream(overloaded), kind: 'overloaded', message: /No room/ },
      { name: 'a damaged frame', streamed: true, body: Buffer.concat([damaged, stream(text)]), kind: 'bad_response' },
    ],
    modelList,
  };
}
