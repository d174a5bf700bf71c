import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { usageOf } from '../../../wire/usage.js';
import type { ProviderFixture, ProviderSuite, SuiteEntry } from '../provider-suite.js';
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

const sse = (events: readonly object[]) => Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

const fixtures: ProviderFixture[] = [
  {
    name: 'text',
    request: question,
    sends: { model: 'upstream-model', limit: 40, messages: [{ role: 'user', content: 'Ahoj' }] },
    whole: Buffer.from(JSON.stringify(wholeText)),
    stream: sse(text),
    expect: { choices: [{ text: 'Ahoj, Žofia 👋' }], usage: usageOf(4, 3) },
  },
  {
    name: 'tools',
    request: { ...question, tools: [{ type: 'function', function: { name: 'weather' } }] },
    whole: Buffer.from(JSON.stringify(wholeTools)),
    stream: sse(tools),
    expect: {
      choices: [
        { text: 'Let me see.', toolCalls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Žilina"}' }], finishReason: 'tool_calls' },
      ],
      usage: usageOf(21, 8),
    },
  },
];

type Provider = new (...given: ConstructorParameters<typeof SampleProvider>) => SampleProvider;

const create =
  (provider: Provider) =>
  ({ config, services }: SuiteEntry) =>
    new provider('sample', config, services);

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
    fixtures,
    failures: [{ name: 'an error in the middle', streamed: true, body: sse(overloaded), kind: 'overloaded', message: /No room/ }],
    modelList,
  };
}
