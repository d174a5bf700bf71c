import type { Attack, Found } from '../attack.ts';
import { conversation, generatedBody, kinds, legitimate } from '../bodies.ts';
import type { Scene } from '../scene.ts';

const group = '3 bodies';

/** One body: answered, or refused with a clear error. */
async function send(scene: Scene, bytes: Buffer, expected?: number): Promise<Found> {
  const { status, ms, tail, end } = await scene.ask(bytes);
  const broken: string[] = [];
  if (status >= 500 || status === 0) broken.push(`${status || end} ${tail.slice(0, 120)}`);
  if (status >= 400 && !/"code":"\w+"/.test(tail)) broken.push(`${status} without an envelope`);
  if (expected !== undefined && status !== expected) broken.push(`${status} in place of ${expected}: ${tail.slice(0, 160)}`);
  const code = /"code":"(\w+)"/.exec(tail)?.[1] ?? '';
  return { got: `${status} ${code} after ${(ms / 1000).toFixed(2)} s`, bytes: bytes.length, broken };
}

const one = (name: string, make: () => Buffer, { short = false, expected }: { short?: boolean; expected?: number } = {}): Attack => ({
  group,
  name,
  short,
  watch: 1_500,
  run: (scene) => send(scene, make(), expected),
});

/** Sizes in which something was found; everything else is tried in one. */
const found: Readonly<Record<string, number>> = {
  'members before long strings': 7.4e6,
  'members of one object': 1e6,
  'unknown names': 10e6,
  'empty arrays': 32e6,
};

export const bodyAttacks: readonly Attack[] = [
  one('an ordinary conversation of 4 MB', () => conversation(4e6), { expected: 200 }),
  ...Object.keys(legitimate).map((name) => one(name, () => legitimate[name]!(), { expected: 200, short: name.startsWith('1,024') })),
  ...Object.entries(kinds).map(([kind, make]) => {
    const size = found[kind] ?? 6e6;
    return one(`${size / 1e6} MB of ${kind}`, () => make(size), { short: size > 7e6 && size < 9e6 });
  }),
  {
    group,
    name: 'bodies by generator',
    short: true,
    async run(scene) {
      const broken: string[] = [];
      const times = scene.short ? 8 : 40;
      let bytes = 0;
      let worst = { ms: 0, what: '' };
      for (let index = 0; index < times; index++) {
        const json = generatedBody(scene.random);
        bytes += json.length;
        const { status, ms, tail, end } = await scene.ask(json);
        const what = `${json.length} bytes: ${json.toString('latin1', 0, 100)}`;
        if (status >= 500 || status === 0) broken.push(`${status || end}: ${what}: ${tail.slice(0, 80)}`);
        if (ms > worst.ms) worst = { ms, what };
        if (!scene.gateway.alive) break;
      }
      return { got: `worst ${(worst.ms / 1000).toFixed(2)} s: ${worst.what}`, bytes, broken };
    },
  },
];
