import type { Measurement } from './bench.ts';
import type { Gateway } from './gateway.ts';
import { median } from './measure.ts';
import { addInterval, pairs } from './pairs.ts';
import type { Target } from './processes.ts';
import { small } from './requests.ts';

/** Per cent of CPU by which all rules together may make a request dearer. */
const AT_MOST = 5;

/**
 * Seconds of each load before the first pair: code that the rules alone run is met half as often as the rest, and until
 * V8 has compiled both as well, which takes half a minute of load on a slow machine, the ratio tells of that.
 */
const WARM_UP = 15;

/** Each takes a minute. Processes differ by some per cent: of six, the median came to 4 % once and to 8 % another time. */
const PROCESSES = 12;

/** Rules of each kind, none of which a request of the benchmark breaks. */
const limits = { requests_per_minute: 10_000_000, tokens_per_minute: 1_000_000_000, concurrency: 5_000 };
const restrictions = {
  models: { allow: ['bench', 'gpt-*'], deny: ['*-pro'] },
  providers: { allow: ['bench', 'openai'] },
  operations: ['chat', 'completion'],
  addresses: ['127.0.0.0/8', '10.0.0.0/8'],
};
const budgets = { budgets: { day: '100000', month: '500000', ever: '900000' } };
export const kinds: Readonly<Record<string, object>> = { all: { ...restrictions, ...limits, ...budgets }, restrictions, limits, budgets };

/** A key of an account of its own, with credits. */
export async function keyWith(gateway: Gateway, account: string, rules: object): Promise<string> {
  await gateway.command('accounts', 'create', account);
  await gateway.command('credits', 'grant', '--account', account, '--env', 'live', '1000000');
  const options = Object.keys(rules).length === 0 ? [] : ['--rules', JSON.stringify(rules)];
  const { key } = (await gateway.command('keys', 'create', '--account', account, '--env', 'live', ...options)) as { key: string };
  return key;
}

/** In one process, where only the key differs. */
const rulesOf = (name: string, connections: number): Measurement => ({
  name: `rules: ${name}, ${connections} connections`,
  oursOnly: true,
  fullOnly: true,
  ownProcesses: true,
  async run(bench) {
    const ratios: number[] = [];
    for (let round = 0; round < PROCESSES; round++) {
      const gateway = await bench.freshGateway();
      try {
        const without: Target = { ...gateway, key: await keyWith(gateway, 'without', {}) };
        const with_: Target = { ...gateway, key: await keyWith(gateway, 'with', kinds[name]!) };
        ratios.push(median(await pairs(without, with_, 24, { shape: small, connections, warmUp: WARM_UP })));
      } finally {
        await gateway.stop();
      }
    }
    addInterval(bench, `a key with ${name}, by one without, ${connections}`, AT_MOST, ratios, 'processes');
  },
});

export const ruleMeasurements: readonly Measurement[] = Object.keys(kinds).flatMap((name) => [1, 16].map((each) => rulesOf(name, each)));
