import type { Completion } from '../src/wire/completion.js';
import type { Usage } from '../src/wire/usage.js';
import { eventsOf } from './support/event-stream.js';
import { Gateway } from './support/gateway.js';
import { jsonReply } from './support/openai-bytes.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';

/** Of the upstream for one choice. */
const counted = { input_tokens: 10, output_tokens: 5 };

const whole = (text: string) =>
  jsonReply({ type: 'message', role: 'assistant', content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: counted });

const streamed = (text: string) => {
  const events: object[] = [
    { type: 'message_start', message: { role: 'assistant', content: [], usage: { ...counted, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: counted.output_tokens } },
    { type: 'message_stop' },
  ];
  return {
    headers: { 'content-type': 'text/event-stream' },
    body: events.map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  };
};

/**
 * A vendor with one operation, chat, and one choice a call: what it lacks is done by the gateway or honestly refused.
 */
describe('Completions and choices of a model that only chats, one answer a call', () => {
  const upstream = useUpstream();
  const gateway = useGateway(() => {
    const model = { pricing: { prompt: 1, completion: 2 }, context_length: 1_000, max_tokens: 100 };
    return Gateway.start({
      providers: {
        claude: {
          type: 'anthropic',
          base_url: upstream.origin,
          api_key: 'k',
          models: { plain: model, willing: { ...model, completions_via_chat: true } },
        },
      },
    });
  });
  beforeEach(() => {
    let answers = 0;
    upstream.replies(({ body }) => {
      const text = `answer ${answers++}`;
      return body.includes('"stream":true') ? streamed(text) : whole(text);
    });
  });

  const summed = (calls: number): Usage => ({
    prompt_tokens: calls * counted.input_tokens,
    completion_tokens: calls * counted.output_tokens,
    total_tokens: calls * (counted.input_tokens + counted.output_tokens),
  });
  const texts = (choices: { index: number; text: string }[]) =>
    choices.toSorted((a, b) => a.index - b.index).map(({ index, text }) => [index, text.replace(/\d$/, 'N')]);

  describe('legacy completions', () => {
    it('are refused where nobody has said that they may be chats', async () => {
      expectError(await gateway.post('completions', { model: 'plain', prompt: 'Ahoj' }), 400, 'unsupported_model');
      expect(upstream.requests).toHaveLength(0);
    });

    it('are chats where the operator says so: prompts, n and echo, whole and streamed', async () => {
      const fields = { model: 'willing', prompt: ['One', 'Two'], n: 2, echo: true, max_tokens: 10 };
      const expected = [[0, 'Oneanswer N'], [1, 'Oneanswer N'], [2, 'Twoanswer N'], [3, 'Twoanswer N']]; // prettier-ignore
      const { choices, usage } = (await gateway.post('completions', fields)).body as Completion;
      expect(texts(choices)).toEqual(expected);
      expect(usage).toMatchObject(summed(4));
      expect(upstream.requests).toHaveLength(4);
      const events = eventsOf<Completion>(await (await gateway.stream('completions', fields)).text());
      const said = new Map<number, string>();
      for (const { index, text } of events.flatMap((event) => event.choices)) said.set(index, (said.get(index) ?? '') + text);
      expect(texts([...said].map(([index, text]) => ({ index, text })))).toEqual(expected);
    });

    it.each([{ suffix: 'end' }, { logprobs: 2 }, { best_of: 2 }, { echo: true, logprobs: 1 }])(
      'with %j are refused before a credit is held',
      async (more) => {
        const customer = await gateway.newCustomer('0');
        // A customer without credits would otherwise be answered with 402.
        const answer = await gateway.post('completions', { model: 'willing', prompt: 'Ahoj', ...more }, customer.liveKey);
        expectError(answer, 400, 'unsupported_parameter');
        expect(upstream.requests).toHaveLength(0);
        expect(await gateway.usage(0, customer)).toEqual([]);
      },
    );

    it('say in the catalogue what is so', async () => {
      const list = await gateway.get('models');
      const flags = (list.body as { data: { id: string; capabilities: { completion: boolean } }[] }).data.map(({ id, capabilities }) => [
        id,
        capabilities.completion,
      ]);
      expect(Object.fromEntries(flags)).toMatchObject({ plain: false, willing: true });
    });
  });
});
