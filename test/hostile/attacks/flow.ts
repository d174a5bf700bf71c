import { setTimeout as wait } from 'node:timers/promises';
import type { Attack, Found } from '../attack.ts';
import { type Answer, type Asking, isDone, messages } from '../customer.ts';
import { type Exchange, TOKEN_BYTES } from '../exchange.ts';
import { costOf } from '../prices.ts';
import { KNOWN } from '../scene.ts';

const group = '2 flow';
const EVENT = 'word'.repeat(2_048);
/** Milliseconds for which a trickle reader holds a provider back. */
const HELD_BACK = 4_000;
/** Share of an answer's bytes that is text; the rest is the frame of its events. */
const TEXT_SHARE = EVENT.length / (EVENT.length + 150);

/** Says 8 KiB an event until nobody takes it any more, or for so long. */
async function flood(exchange: Exchange, milliseconds = 60_000): Promise<void> {
  const until = performance.now() + milliseconds;
  while (!exchange.left && performance.now() < until) {
    await exchange.say(EVENT);
    await new Promise(setImmediate);
  }
}

interface Slow extends Omit<Attack, 'group' | 'run'> {
  readonly asking: Asking;
  /** What the provider does when it has said what it says. */
  readonly flood?: (exchange: Exchange) => Promise<void>;
}

/** A client whose answer is ended by the gateway, or by a provider that the client has kept waiting. */
const slow = ({ asking, flood: play = flood, ...attack }: Slow): Attack => ({
  ...attack,
  group,
  async run(scene): Promise<Found> {
    scene.provider.plays((exchange) => exchange.answer(EVENT));
    const before = await scene.charged();
    await scene.teach('large', KNOWN);
    await scene.settled();
    const taught = (await scene.charged()) - before;
    scene.provider.plays(play);
    const answers = await scene.many(3, 3, () => scene.ask({ model: 'large', stream: true, messages: messages('Everything.') }, asking));
    await scene.settled();
    const charged = (await scene.charged()) - before - taught;
    const due = costOf(0, (bytesOf(answers) * TEXT_SHARE) / TOKEN_BYTES);
    const most = scene.provider.due;
    const broken: string[] = [];
    if (Number(charged) < 0.7 * Number(due))
      broken.push(`charged ${(Number(charged) / Number(due)).toFixed(3)} of what was delivered, at least 0.7`);
    if (charged > most) broken.push('charged more than the provider had counted');
    const ends = answers.map(({ end }) => end).join(', ');
    return { got: `${(bytesOf(answers) / 1e6).toFixed(1)} MB: ${ends}`, due: due + taught, share: [0, 1000], broken };
  },
});

const bytesOf = (answers: readonly Answer[]): number => answers.reduce((sum, { bytes }) => sum + bytes, 0);

/** A client that reads all the time, and an event that is larger than what may wait for it. */
const largeEvent = (name: string, size: number, rate: number, times: number, short = false): Attack => ({
  group,
  name,
  short,
  async run(scene) {
    scene.provider.plays(async (exchange) => {
      await exchange.say('word'.repeat(size / 4));
      for (let index = 0; index < 10; index++) {
        await exchange.say('And some more of it. ');
        await wait(5);
      }
      await exchange.done();
    });
    const tries = scene.short ? Math.ceil(times / 4) : times;
    const answers = await scene.many(tries, 4, () =>
      scene.ask({ model: 'large', stream: true, messages: messages('All at once.') }, { rate }),
    );
    const cut = answers.filter((answer) => !isDone(answer)).length;
    return {
      got: `${(bytesOf(answers) / 1e6).toFixed(1)} MB, ${tries - cut} of ${tries} whole`,
      share: cut > 0 ? [0, 1] : [0.95, 1],
      broken: cut > 0 ? [`${cut} of ${tries} readers were cut`] : [],
    };
  },
});

/** More tool calls than the gateway passes on. */
const toolCalls = (calls: number, stream: boolean, short = false): Attack => ({
  group,
  name: `${calls} tool calls, ${stream ? 'streamed' : 'as a whole'}`,
  short,
  async run(scene) {
    const input = (index: number) =>
      JSON.stringify({ place: `place number ${index}, far away`, unit: 'metric', reason: 'it was asked for' });
    const call = (index: number) => ({ index, id: `call_${index}`, type: 'function', function: { name: 'look', arguments: input(index) } });
    const tokensOf = (index: number): number => Math.ceil(input(index).length / TOKEN_BYTES) + 1;
    scene.provider.plays(async (exchange) => {
      for (let index = 0; index < calls; index++) {
        if (exchange.left) return;
        exchange.said += tokensOf(index);
        if (exchange.stream) await exchange.delta({ tool_calls: [call(index)] });
      }
      if (!exchange.stream) {
        const all = Array.from({ length: calls }, (_, index) => call(index));
        return exchange.whole('', exchange.counts, { content: null, tool_calls: all.map(({ index: _index, ...one }) => one) });
      }
      await exchange.finish('tool_calls');
      await exchange.usage();
      exchange.end();
    });
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    let got = 0;
    const count = ({ tail }: Answer, newBytes: number): boolean => {
      got += tail.slice(-newBytes).match(/"name":"look"/g)?.length ?? 0;
      return false;
    };
    const { status, bytes } = await scene.ask({ model: 'large', stream, messages: messages('Look everywhere.'), tools }, { leave: count });
    const whole = got >= calls - 5;
    const delivered = Array.from({ length: got }, (_, index) => tokensOf(index)).reduce((sum, tokens) => sum + tokens, 0);
    const { due } = scene.provider;
    return {
      got: `${status}, ${got} calls, ${(bytes / 1e6).toFixed(2)} MB`,
      due: whole ? due : costOf(0, delivered),
      share: whole ? [0.95, 1] : [0.5, 1],
      most: due,
    };
  },
});

export const flowAttacks: readonly Attack[] = [
  slow({ name: 'a slow reader until total_timeout', short: true, settings: { routing: { total_timeout: 4_000 } }, asking: { rate: 4e6 } }),
  slow({
    name: "a slow reader until the provider's total",
    settings: { providers: { hostile: { timeouts: { total: 4_000 } } } },
    asking: { rate: 4e6 },
  }),
  slow({
    name: 'a reader who stops until stall_timeout',
    settings: { server: { stall_timeout: 2_000 } },
    asking: { rate: 20e6, stallAfter: 6e6, patience: 15_000 },
  }),
  slow({
    name: 'a trickle reader until the provider cuts',
    asking: { rate: 1e6 },
    async flood(exchange) {
      void flood(exchange);
      // Not before the reader has held it back for longer than a provider's own failure can be told from it.
      for (let held = 0; held < HELD_BACK && !exchange.left; await wait(100)) if (exchange.response.writableNeedDrain) held += 100;
      exchange.response.socket?.resetAndDestroy();
    },
  }),
  slow({
    name: 'a reader who keeps up until total_timeout',
    settings: { routing: { total_timeout: 4_001 } },
    asking: {},
    async flood(exchange) {
      while (!exchange.left) {
        await exchange.say(EVENT);
        await wait(10);
      }
    },
  }),
  largeEvent('an event of 6 MB, read at 12 MB/s', 6e6, 12e6, 16, true),
  largeEvent('an event of 1.2 MB, read at 3 MB/s', 1.2e6, 3e6, 24),
  largeEvent('an event of 3 MB, read at 500 KB/s', 3e6, 5e5, 4),
  toolCalls(1_000, true),
  toolCalls(2_000, true, true),
  toolCalls(2_000, false),
];
