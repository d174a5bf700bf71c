import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { eventsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { useGateway } from './support/started.js';

/** A JSON file with OpenAI's published response schemas under `$defs`; without it there is nothing to compare with. */
const file = process.env['SWITCHYARD_OPENAPI_SCHEMAS'];

const [describeSchemas, reason] = file ? [describe, ''] : [describe.skip, ' (SWITCHYARD_OPENAPI_SCHEMAS names no file)'];

describeSchemas(`OpenAI’s own schemas${reason}`, () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const gateway = useGateway(() => {
    ajv.addSchema({ ...(JSON.parse(readFileSync(file!, 'utf8')) as object), $id: 'openai' });
    return Gateway.start();
  });

  function expectToFit(name: string, answer: unknown): void {
    void ajv.validate(`openai#/$defs/${name}`, answer);
    expect(ajv.errors ?? []).toEqual([]);
  }

  const messages = [{ role: 'user', content: 'What is the weather in Paris?' }];
  const tool = {
    type: 'function',
    function: { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  };
  const chats: object[] = [
    {},
    { logprobs: true, top_logprobs: 3, n: 2 },
    { tools: [tool], tool_choice: 'required', max_tokens: 200 },
    { response_format: { type: 'json_object' }, max_tokens: 200 },
  ];
  const completions: object[] = [{}, { n: 2, prompt: ['a', 'b'] }, { logprobs: 3 }, { best_of: 3, logprobs: 1 }, { echo: true }];

  it('fit the list of models', async () => {
    expectToFit('ListModelsResponse', (await gateway.get('models?include_capabilities=true&active_only=false')).body);
  });

  it('fit one model', async () => {
    expectToFit('Model', (await gateway.get('models/sandbox-chat?include_capabilities=true').expect(200)).body);
  });

  it.each(chats)('fit chat completions %j, streamed and not', async (fields) => {
    const body = { model: 'sandbox-omni', messages, max_tokens: 8, ...fields };
    expectToFit('CreateChatCompletionResponse', (await gateway.post('chat/completions', body)).body);
    const counted = { stream: true, stream_options: { include_usage: true }, ...body };
    const events = eventsOf((await gateway.post('chat/completions', counted)).text);
    expect(events.length).toBeGreaterThan(2);
    for (const event of events) expectToFit('CreateChatCompletionStreamResponse', event);
  });

  it.each(completions)('fit completions %j', async (fields) => {
    const body = { model: 'sandbox-omni', prompt: 'The kitchen', max_tokens: 8, ...fields };
    const answer = await gateway.post('completions', body);
    expect(answer.status).toBe(200);
    expectToFit('CreateCompletionResponse', answer.body);
  });
});
