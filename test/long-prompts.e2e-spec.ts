import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { Gateway } from './support/gateway.js';

const facts = { context_length: 1_000_000, max_tokens: 500 };
const choices = [{ index: 0, message: { role: 'assistant', content: 'Čau' }, finish_reason: 'stop' }];

describe('Long prompts', () => {
  let upstream: LoopbackUpstream;
  let gateway: Gateway;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    const provider = { base_url: `${upstream.origin}/v1`, free: true, models: { long: facts } };
    gateway = await Gateway.start({
      providers: { provider, other: { ...provider, models: { short: { ...facts, upstream_model: 'long' } } } },
    });
  });

  afterAll(async () => {
    await gateway.close();
    await upstream.stop();
  });

  /** @returns what the provider was sent */
  async function sent(json: string): Promise<string> {
    upstream.replies({ headers: { 'content-type': 'application/json' }, body: JSON.stringify({ choices }) });
    const answer = await gateway.post('chat/completions', json as never).set('content-type', 'application/json');
    expect(answer.status).toBe(200);
    return upstream.requests[0]!.body;
  }

  const long = 'a'.repeat(20_000);

  it('go on as they came, byte for byte', async () => {
    const messages = `[ {"role":"user", "content":"\\u010cau \\"${long}\\" čau\\\\" , "name":"x"} ]`;
    const tools = '[{"type":"function","function":{"name":"f","parameters":{"type":"object","x":1.0}}}]';
    const body = await sent(`\ufeff{"stop":["b"],"messages" : ${messages},"model":"short","tools":${tools},"temperature":0}`);
    expect(body).toContain(`"messages":${messages}`);
    expect(body).toContain(`"tools":${tools}`);
    expect(JSON.parse(body)).toEqual({
      model: 'long',
      messages: JSON.parse(messages) as unknown,
      tools: JSON.parse(tools) as unknown,
      stop: ['b'],
      temperature: 0,
    });
  });

  it.each([
    ['a member', `{"model":"long","messages":[{"role":"user","content":"${long}"}],"messages":[{"role":"user","content":"x"}]}`],
    [
      'a member, once with an escape',
      `{"model":"long","messages":[{"role":"user","content":"${long}"}],"mess\\u0061ges":[{"role":"user","content":"x"}]}`,
    ],
    ['a field of a message', `{"model":"long","messages":[{"role":"user","content":"${long}","content":"x"}]}`],
  ])('with %s given twice: the provider reads what was checked and held for', async (_case, json) => {
    const body = await sent(json);
    expect(JSON.parse(body)).toEqual({ model: 'long', messages: [{ role: 'user', content: 'x' }] });
    expect(body).not.toContain(long);
  });

  it.each(['9007199254740993', '-9007199254740993', '1e400', '-0', '1.0000000000000000001'])(
    'and short ones pass %s on as it is written, in fields that the gateway does not know',
    async (number) => {
      for (const content of ['x', long]) {
        const body = await sent(
          `{"model":"long","messages":[{"role":"user","content":"${content}"}],"metadata":{"a":[${number}]},"top_k":${number}}`,
        );
        expect(body).toContain(`"metadata":{"a":[${number}]}`);
        expect(body).toContain(`"top_k":${number}`);
      }
    },
  );
});
