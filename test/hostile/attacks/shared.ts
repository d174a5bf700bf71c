import { Agent } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { type Answer, messages } from '../customer.ts';
import type { Exchange } from '../exchange.ts';
import type { Play } from '../hostile-provider.ts';

const group = '4 others';
/** Milliseconds that the bystander is watched for: longer than a provider is paused for. */
const WATCH = 5_000;
/** Milliseconds that streams are held for. */
const HELD = 4_000;
/** Connections that are opened at a time. */
const OPENING = 16;

/** One key whose every request fails at the provider, and only that key's. */
const failing = (name: string, play: Play, more: Partial<Attack> & { readonly model?: string; readonly body?: object } = {}): Attack => {
  const { model = 'shared', body = {}, ...rest } = more;
  return {
    group,
    name: `a key whose requests fail by ${name}`,
    watch: WATCH,
    fresh: true,
    neighbour: model,
    ...rest,
    async run(scene) {
      scene.provider.plays(play);
      const statuses = new Map<number, number>();
      const until = performance.now() + (scene.short ? 1_500 : 3_000);
      await scene.many(60, 4, async () => {
        if (performance.now() > until) return;
        const { status } = await scene.ask({ model, max_tokens: 5, messages: messages('Fail, please.'), ...body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        await wait(20);
      });
      return { got: [...statuses].map(([status, count]) => `${count} x ${status}`).join(', '), share: [0, 1] };
    },
  };
};

const nothing: Play = (exchange) => {
  exchange.prompt = 0;
};
const refusing =
  (status: number, message: string, headers?: Record<string, string>): Play =>
  (exchange) => {
    exchange.prompt = 0;
    exchange.refuse(status, message, headers);
  };

const ways: readonly Play[] = [
  ...[400, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529].map((status) => refusing(status, 'No', { 'retry-after': '60' })),
  (exchange) => {
    exchange.prompt = 0;
    exchange.response.socket?.resetAndDestroy();
  },
  (exchange) => {
    exchange.prompt = 0;
    exchange.response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
  },
  (exchange) => {
    exchange.prompt = 0;
    exchange.whole('', { prompt_tokens: 0, completion_tokens: 0 });
  },
];
let next = 0;
const mixed: Play = (exchange) => ways[next++ % ways.length]!(exchange);

/** Holds a stream for as long as its client does. */
const hold = async (exchange: Exchange): Promise<void> => {
  while (!exchange.left) {
    await exchange.say('word ');
    await wait(2_000);
  }
};

/** A parameter that an engine behind the preset ignores. */
const ignored = (name: string, path: string, body: object, times = 12): Attack => ({
  group,
  name: `an engine that ignores ${name}`,
  watch: 3_000,
  fresh: true,
  neighbour: 'engine',
  short: name === 'logprobs: 0',
  async run(scene) {
    scene.provider.plays((exchange) => {
      exchange.said = 4;
      const chat = exchange.path.includes('chat');
      const n = Number(exchange.body['n'] ?? 1);
      const choice = (index: number) =>
        chat
          ? { index, message: { role: 'assistant', content: 'So it is.' }, finish_reason: 'stop' }
          : { index, text: 'So it is.', finish_reason: 'stop' };
      exchange.json(200, {
        id: 'x',
        object: chat ? 'chat.completion' : 'text_completion',
        created: 1,
        model: 'engine',
        // Of an engine that ignores n, too.
        choices: Array.from({ length: name.includes('n') && name.startsWith('n') ? 1 : n }, (_, index) => choice(index)),
        usage: { ...exchange.counts, total_tokens: 0 },
      });
    });
    const answers = await scene.many(times, 3, () => scene.ask({ model: 'engine', max_tokens: 5, ...body }, { path }));
    const statuses = [...new Set(answers.map(({ status }) => status))].join(', ');
    return { got: `${statuses}, ${scene.provider.seen.length} of ${times} reached it`, share: [0, 1] };
  },
});

const prompt = { prompt: 'Once upon a time' };
const question = { messages: messages('What is it?') };

const holding = (streams: number, short = false): Attack => ({
  group,
  name: `${streams} streams held by one key`,
  short,
  fresh: true,
  watch: 6_000,
  async run(scene) {
    scene.provider.plays(hold);
    const answers: Answer[] = [];
    let opened = 0;
    const first = (answer: Answer, newBytes: number): boolean => {
      if (answer.bytes === newBytes && answer.status === 200) opened++;
      return false;
    };
    let release = (): void => undefined;
    const leaveWhen = new Promise<void>((resolve) => (release = resolve));
    const asked: Promise<unknown>[] = [];
    const open = () =>
      new Promise<void>((accepted) => {
        const body = { model: 'shared', stream: true, max_tokens: 1_000, messages: messages('Hold on.') };
        const ended = scene.ask(body, { leave: first, leaveWhen, accepted }).then((answer) => answers.push(answer));
        asked.push(ended.finally(accepted));
      });
    // Holding is the attack, not opening more connections than are accepted, behind which everybody's would wait.
    await scene.many(streams, OPENING, open);
    // Those that wait for a place are told apart by nothing: as soon as no more are served, all that can be held are.
    for (let before = -1; before !== opened + answers.length; await wait(2_000)) before = opened + answers.length;
    await wait(scene.short ? 1_000 : HELD);
    const held = opened;
    const refused = answers.length;
    release();
    await Promise.all(asked);
    return { got: `${held} streams held, ${refused} refused`, share: [0, 1] };
  },
});

const withoutKey = (name: string, key: () => string | undefined, short = false): Attack => ({
  group,
  name: `refusals ${name}`,
  short,
  watch: 3_000,
  async run(scene) {
    const before = await scene.audit.recordsOfNobody();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    const times = scene.short ? 1_500 : 5_000;
    const body = Buffer.from(JSON.stringify({ model: 'x'.repeat(60_000), messages: messages('Hello') }));
    const answers = await scene.many(times, 16, (index) => {
      const small = Buffer.from(`{"model":"${'x'.repeat(200)}"}`);
      return scene.ask(index % 10 === 0 ? body : small, { agent, headers: { 'x-request-id': 'y'.repeat(100) } }, { key: key() });
    });
    agent.destroy();
    await wait(2_500);
    const rows = (await scene.audit.recordsOfNobody()) - before;
    const statuses = [...new Set(answers.map(({ status }) => status))].join(', ');
    return {
      got: `${times} x ${statuses}, ${rows} rows in the store`,
      broken: rows > times / 10 + 100 ? [`${rows} records of ${times} refusals`] : [],
    };
  },
});

const wrongKey = (): string => `sy-live-${Math.random().toString(36).slice(2).padEnd(32, 'A').slice(0, 32)}`;

export const sharedAttacks: readonly Attack[] = [
  failing('400', refusing(400, 'Invalid value')),
  failing('403 by content', refusing(403, 'Your request was blocked by our content policy'), { short: true }),
  failing('404', refusing(404, 'The model does not exist')),
  failing('413', refusing(413, 'Request entity too large')),
  failing('429, too large', refusing(429, 'Request too large for model on tokens per min (TPM): Limit 30000, Requested 250000'), {
    short: true,
  }),
  failing('422', refusing(422, 'Unprocessable')),
  failing('500', refusing(500, 'Internal server error'), { short: true }),
  failing('503', refusing(503, 'Overloaded')),
  failing('an answer that is none', (exchange) => {
    exchange.prompt = 0;
    exchange.json(200, { choices: 'none' });
  }),
  failing('a connection that breaks', (exchange) => {
    exchange.prompt = 0;
    exchange.response.socket?.resetAndDestroy();
  }),
  failing('silence until the time is up', nothing, { model: 'hurried', short: true }),
  failing('everything that there is, in any order', mixed),
  failing('names that an open provider does not have', refusing(404, 'No such model'), {
    model: 'anything/known',
    body: { model: 'anything/unknown' },
  }),
  ignored('logprobs: 0', '/completions', { ...prompt, logprobs: 0 }),
  ignored('logprobs: 5', '/completions', { ...prompt, logprobs: 5 }),
  ignored('best_of: 2', '/completions', { ...prompt, best_of: 2 }),
  ignored('n: 3', '/completions', { ...prompt, n: 3 }),
  ignored('n: 3 of a chat', '/chat/completions', { ...question, n: 3 }),
  ignored('logprobs of a chat', '/chat/completions', { ...question, logprobs: true, top_logprobs: 0 }),
  ignored('echo', '/completions', { ...prompt, echo: true }),
  ignored('tools', '/chat/completions', {
    ...question,
    tool_choice: 'required',
    tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
  }),
  ignored('a schema', '/chat/completions', {
    ...question,
    response_format: { type: 'json_schema', json_schema: { name: 's', strict: true, schema: { type: 'object' } } },
  }),
  holding(2_050, true),
  withoutKey('without a key', () => undefined),
  withoutKey('with a wrong key', wrongKey, true),
];
