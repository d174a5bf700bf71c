import type { ChatGenerationRequest, GenerationRequest } from '../../wire/generation.js';
import type { ProviderModel } from '../contract/model-provider.js';
import { testCall } from './call.js';
import { readAll } from './collect.js';
import type { RecordedRequest } from './loopback-upstream.js';
import { type SuiteContext, withStream } from './suite-context.js';

/** Parameters with values that show wherever they come out. */
const shown: Readonly<Record<string, number | string>> = {
  max_tokens: 37,
  temperature: 0.25,
  top_p: 0.75,
  seed: 4_711,
  presence_penalty: 0.125,
  frequency_penalty: -0.125,
  user: 'user-of-the-suite',
  stop: 'stop-of-the-suite',
};

/** What the client asks for arrives at the vendor, as far as the provider says that its models take it. */
export function describeRequests(context: SuiteContext): void {
  const { suite } = context;
  const streams = suite.fixtures.some(({ stream }) => stream);

  const asked = async (request: GenerationRequest, call = testCall()): Promise<RecordedRequest> => {
    context.upstream.replies({ status: 503 });
    await readAll(context.provider.generate(request, call)).catch(() => undefined);
    const [recorded] = context.upstream.requests;
    if (!recorded) throw new Error('nothing was asked');
    return recorded;
  };

  const chatModel = async (): Promise<ProviderModel | undefined> =>
    (await context.models()).find(({ capabilities, status }) => capabilities.chat && status?.active !== false);

  const chat = (more: Partial<ChatGenerationRequest>): ChatGenerationRequest =>
    withStream(
      { operation: 'chat', model: 'suite', n: 1, stream: streams, messages: [{ role: 'user', content: 'Hello' }], ...more },
      streams,
    ) as ChatGenerationRequest;

  describe('requests', () => {
    context.test('name the model as the vendor does', async () => {
      const request = await asked(context.request(streams), testCall({ upstreamModel: 'vendor-name-of-the-model' }));
      expect(`${decodeURIComponent(request.path)} ${JSON.stringify(context.sent(request))}`).toContain('vendor-name-of-the-model');
    });

    context.test('say whether a stream is wanted', async () => {
      const both = suite.fixtures.find(({ whole, stream }) => whole && stream);
      if (!both) return;
      const [one, other] = [await asked(withStream(both.request, true)), await asked(withStream(both.request, false))];
      expect([one.path, one.headers.accept, context.sent(one)]).not.toEqual([other.path, other.headers.accept, context.sent(other)]);
    });

    context.test('have every message, in order', async () => {
      const model = await chatModel();
      if (!model) return;
      const texts = ['first: Žofia 👋', 'second: "quoted"\n', 'third', 'fourth'];
      const [a, b, c, d] = texts as [string, string, string, string];
      const request = await asked(
        chat({
          messages: [
            { role: 'system', content: 'the rule of the house' },
            { role: 'user', content: a },
            { role: 'assistant', content: b },
            { role: 'user', content: [{ type: 'text', text: c }] },
            { role: 'assistant', content: 'an answer' },
            { role: 'user', content: d },
          ],
        }),
        testCall({ upstreamModel: model.upstreamModel ?? model.id }),
      );
      const words = valuesOf(context.sent(request)).map(String);
      expect(words.some((word) => word.includes('the rule of the house'))).toBe(true);
      const places = texts.map((text) => words.findIndex((word) => word.includes(text.trim())));
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
    });

    context.test('have the tools, their calls and their results', async () => {
      const model = await chatModel();
      if (!model?.parameters.includes('tools')) return;
      const request = await asked(
        chat({
          tools: [
            {
              type: 'function',
              function: {
                name: 'tool_of_the_suite',
                description: 'what the tool does',
                parameters: { type: 'object', properties: { field_of_the_tool: { type: 'string' } } },
              },
            },
          ],
          messages: [
            { role: 'user', content: 'Go on' },
            {
              role: 'assistant',
              content: null,
              tool_calls: [
                {
                  id: 'callOfOne',
                  type: 'function',
                  function: { name: 'tool_of_the_suite', arguments: '{"field_of_the_tool":"an argument"}' },
                },
              ],
            },
            { role: 'tool', tool_call_id: 'callOfOne', content: 'a result of the tool' },
          ],
        }),
        testCall({ upstreamModel: model.upstreamModel ?? model.id }),
      );
      const words = valuesOf(context.sent(request)).map(String);
      const wanted = ['tool_of_the_suite', 'what the tool does', 'field_of_the_tool', 'an argument', 'a result of the tool'];
      expect(wanted.filter((text) => !words.some((word) => word.includes(text)))).toEqual([]);
      expect(words.filter((word) => word === 'tool_of_the_suite').length).toBeGreaterThan(1);
    });

    context.test('have the parameters that the model takes', async () => {
      const model = await chatModel();
      if (!model) return;
      const lost: string[] = [];
      for (const [name, value] of Object.entries(shown)) {
        if (!model.parameters.includes(name)) continue;
        const call = testCall({ upstreamModel: model.upstreamModel ?? model.id });
        const request = await asked(chat({ [name]: name === 'stop' ? [value] : value }), call);
        if (!valuesOf(context.sent(request)).includes(value) && !call.droppedParameters.includes(name)) lost.push(name);
      }
      expect(lost).toEqual([]);
    });

    for (const { name, request, sends } of suite.fixtures) {
      if (!sends) continue;
      context.test(`${name}: has what the fixture says`, async () => {
        expect(context.sent(await asked(withStream(request, streams)))).toMatchObject(sends);
      });
    }
  });
}

/** All names, texts and numbers in their order; texts of JSON are looked into. */
function valuesOf(value: unknown): (string | number)[] {
  if (typeof value === 'number') return [value];
  if (typeof value === 'string') return [value, ...insideOf(value)];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(valuesOf);
  return Object.entries(value).flatMap(([name, inner]) => [name, ...valuesOf(inner)]);
}

function insideOf(text: string): (string | number)[] {
  if (!/^\s*[{[]/.test(text)) return [];
  try {
    return valuesOf(JSON.parse(text));
  } catch {
    return [];
  }
}
