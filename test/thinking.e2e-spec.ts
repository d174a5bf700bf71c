import { chatFormat } from './formats/chat-format.js';
import type { Format } from './formats/format.js';
import { messagesFormat } from './formats/messages-format.js';
import { responsesFormat } from './formats/responses-format.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway, useUpstream } from './support/started.js';
import { anthropicVendor } from './vendors/anthropic-vendor.js';
import { bedrockVendor } from './vendors/bedrock-vendor.js';

useLoopbackOnly();

const upstream = useUpstream();
const gateway = useGateway(() => {
  const entry = { base_url: upstream.origin, api_key: 'key', free: true };
  const claude = (name: string, foundation = name) => ({
    [`${name}-budget`]: { upstream_model: `${foundation}claude-haiku-4-5` },
    [`${name}-adaptive`]: { upstream_model: `${foundation}claude-opus-4-8` },
  });
  return Gateway.start({
    providers: {
      anthropic: { ...entry, type: 'anthropic', models: claude('anthropic', '') },
      vertex: { ...entry, type: 'vertex', options: { project: 'harbour-1' }, models: claude('vertex', '') },
      bedrock: { ...entry, type: 'bedrock', options: { region: 'eu-central-1' }, models: claude('bedrock', 'anthropic.') },
    },
  });
});

const tools = [{ name: 'now', description: 'Tells the time', parameters: { type: 'object', properties: {} } }];
const done = [{ id: 'call_1', name: 'now', arguments: {}, result: '"noon"' }];
const answer = { text: 'Noon.' };

/** What a request for a turn says of thinking, and what the client is told of it. */
async function asked(
  format: Format,
  model: string,
  stream: boolean,
  turn: object,
): Promise<{ thinking: unknown; effort: unknown; told: unknown }> {
  upstream.replies(({ path }) => {
    if (!path.startsWith('/model/')) return anthropicVendor.answer(answer, stream);
    return (path.includes('/converse') ? bedrockVendor.answer : bedrockVendor.messages!)(answer, stream);
  });
  const { headers } = await gateway
    .post(format.path, format.body(model, { text: 'What time is it?', tools, effort: 'low', limit: 4_000, ...turn }, stream))
    .expect(200);
  const body = JSON.parse(upstream.requests.at(-1)!.body) as Record<string, object | undefined>;
  const { thinking, output_config } = { ...body, ...body['additionalModelRequestFields'] } as Record<string, unknown>;
  return { thinking, effort: output_config, told: headers['x-switchyard-dropped-parameters'] };
}

describe.each([chatFormat, responsesFormat, messagesFormat])('A tool loop in $name', (format) => {
  const word = format === messagesFormat ? 'thinking' : 'reasoning_effort';

  describe.each(['anthropic', 'vertex', 'bedrock'])('at %s', (wire) => {
    it.each([false, true])('has a budget of thinking only behind signed thinking (stream: %s)', async (stream) => {
      const first = await asked(format, `${wire}-budget`, stream, {});
      expect(first).toMatchObject({ thinking: { type: 'enabled' }, told: undefined });
      expect(await asked(format, `${wire}-budget`, stream, { done })).toEqual({ thinking: undefined, effort: undefined, told: word });
    });

    it.each([false, true])('thinks adaptively where there is no budget (stream: %s)', async (stream) => {
      const told = format === messagesFormat ? 'thinking' : undefined;
      for (const turn of [{}, { done }])
        expect(await asked(format, `${wire}-adaptive`, stream, turn)).toMatchObject({
          thinking: { type: 'adaptive' },
          effort: { effort: 'low' },
          told,
        });
    });
  });
});
