import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';

const facts = { context_length: 1_000_000, max_tokens: 500 };
const choices = [{ index: 0, message: { role: 'assistant', content: 'Čau' }, finish_reason: 'stop' }];

describe('Long prompts', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const provider = { base_url: `${upstream.origin}/v1`, free: true, models: { long: { ...facts, capabilities: { completion: true } } } };
    return Gateway.start({
      providers: { provider, other: { ...provider, models: { short: { ...facts, upstream_model: 'long' } } } },
    });
  });

  /** @returns what the provider was sent */
  async function sent(json: string): Promise<string> {
    upstream.replies(jsonReply({ choices }));
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

  describe('of legacy completions', () => {
    const completed = async (json: string, status = 200) => {
      upstream.replies(({ body }) => {
        const { n = 1 } = JSON.parse(body) as { n?: number };
        const texts = Array.from({ length: n }, (_, index) => ({ index, text: 'Ano', finish_reason: 'stop' }));
        return jsonReply({ choices: texts });
      });
      const answer = await gateway.post('completions', json as never).set('content-type', 'application/json');
      expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.anything()]);
      return { bodies: upstream.requests.map(({ body }) => body), answer: answer.body as { choices: { text: string }[]; error?: object } };
    };
    const written = `"\\u010cau \\"${'é\\n'.repeat(40_000)}\\ud83d\\ude00"`;
    const prompt = JSON.parse(written) as string;

    it('go on as they came', async () => {
      for (const name of ['prompt', 'pr\\u006fmpt']) {
        const { bodies } = await completed(`{"${name}": ${written} ,"model":"long","max_tokens":5}`);
        expect(bodies).toHaveLength(1);
        expect(JSON.parse(bodies[0]!)).toEqual({ model: 'long', prompt, max_tokens: 5 });
      }
    });

    it('go on so from a list, each in a request of its own, and short ones beside them', async () => {
      const all = [written, '"x"', ...Array.from({ length: 10 }, () => written), '"y"'];
      const { bodies, answer } = await completed(`{"model":"long","prompt":[${all.join(',')}]}`);
      expect(bodies.map((body) => (JSON.parse(body) as { prompt: string }).prompt).toSorted()).toEqual(
        all.map((one) => JSON.parse(one) as string).toSorted(),
      );
      expect(answer.choices).toHaveLength(13);
    });

    it('are refused for what is wrong beside them, and where one of a list is no text', async () => {
      const { answer } = await completed(`{"model":"long","prompt":${written},"n":"1"}`, 400);
      expect(answer.error).toMatchObject({ message: 'n must be an integer of at least 1' });
      for (const other of ['""', '1', '[1]', 'null']) {
        const refused = await completed(`{"model":"long","prompt":[${written},${other}]}`, 400);
        expect(refused.answer.error).toMatchObject({ code: 'invalid_prompt' });
      }
    });

    it('are echoed up to a megabyte for all choices together', async () => {
      const bytes = Buffer.byteLength(prompt);
      const most = Math.floor(2 ** 20 / bytes);
      const { answer } = await completed(`{"model":"long","echo":true,"n":${most},"prompt":${written}}`);
      expect(answer.choices.map(({ text }) => text)).toEqual(Array(most).fill(`${prompt}Ano`));
      const { bodies, answer: refused } = await completed(`{"model":"long","echo":true,"n":${most + 1},"prompt":${written}}`, 400);
      expect(bodies).toEqual([]);
      expect(refused.error).toMatchObject({ message: expect.stringContaining('echo returns at most 1048576 bytes') as string });
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
