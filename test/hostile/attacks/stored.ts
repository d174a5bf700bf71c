import { readdirSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { messages } from '../customer.ts';
import type { Play } from '../hostile-provider.ts';
import type { Scene } from '../scene.ts';

const group = '7 stored responses';
const MB = 1024 * 1024;
/** Bytes that an account may store here, and what the store takes beside: its journals, and pages that are free. */
const [SPACE, BESIDE] = [32 * MB, 160 * MB];
const settings = { store: { keep_responses: true, max_responses_bytes: SPACE, max_answers_bytes: 8 * MB } };

const bytesIn = (folder: string): number => readdirSync(folder).reduce((sum, file) => sum + statSync(`${folder}/${file}`).size, 0);

/** What is too much for a store that may have so many bytes of an account; the data folder is the embedded store's alone. */
function grown(before: number, { audit }: Scene): string[] {
  if (audit.engine === 'postgres') return [];
  const bytes = bytesIn(audit.folder) - before;
  return bytes > SPACE + BESIDE ? [`the store has grown by ${Math.round(bytes / MB)} MB`] : [];
}

interface Flood {
  readonly name: string;
  readonly path: string;
  readonly body: object;
  readonly headers?: (index: number) => Record<string, string>;
  readonly play?: Play;
}

const flood = ({ name, path, body, headers, play }: Flood): Attack => ({
  group,
  name,
  short: true,
  settings,
  watch: 2_000,
  async run(scene) {
    scene.provider.plays(play);
    const before = scene.audit.engine === 'postgres' ? 0 : bytesIn(scene.audit.folder);
    const answers = await scene.many(scene.short ? 40 : 200, 4, (index) => scene.ask(body, { path, headers: headers?.(index) ?? {} }));
    await wait(200);
    const broken = grown(before, scene);
    if (answers.some(({ status }) => status === 0 || status === 500)) broken.push('a request broke off');
    return { got: `${answers.filter(({ status }) => status === 200).length} of ${answers.length} answered`, share: [0, 1], broken };
  },
});

const refuses: Play = (exchange) => {
  exchange.prompt = 0;
  exchange.refuse(400, 'No.');
};

const large = 'x'.repeat(3 * MB);

export const storedAttacks: readonly Attack[] = [
  flood({ name: 'inputs of 3 MB that are stored', path: '/responses', body: { model: 'm', input: large, store: true } }),
  flood({
    name: 'inputs of 3 MB in the background, which the provider refuses',
    path: '/responses',
    body: { model: 'm', input: large, background: true },
    play: refuses,
  }),
  flood({
    name: 'answers of 900 KB under a key each',
    path: '/chat/completions',
    body: { model: 'm', messages: messages('Say much.') },
    headers: (index) => ({ 'idempotency-key': `flood-${index}` }),
    play: (exchange) => exchange.answer('x'.repeat(900_000)),
  }),
  {
    group,
    name: '1,000 readers of one response that runs in the background',
    short: true,
    settings,
    async run(scene) {
      const release = Promise.withResolvers<void>();
      scene.provider.plays(async (exchange) => {
        await exchange.say('One word, and then');
        await release.promise;
        await exchange.done();
      });
      const { tail } = await scene.ask({ model: 'm', input: 'Go on.', background: true }, { path: '/responses' });
      const id = /"id":"(resp_[^"]+)"/.exec(tail)?.[1] ?? '';
      const read = async (): Promise<number> => {
        const address = `${scene.gateway.url}/responses/${id}?stream=true`;
        const headers = { authorization: `Bearer ${scene.attacker.key}` };
        const answer = await fetch(address, { headers, signal: AbortSignal.timeout(60_000) }).catch(() => undefined);
        await answer?.text().catch(() => '');
        return answer?.status ?? 0;
      };
      const readers = Promise.all(Array.from({ length: scene.short ? 300 : 1_000 }, read));
      await wait(1_000);
      release.resolve();
      const statuses = await readers;
      const served = statuses.filter((status) => status === 200).length;
      const broken = statuses.some((status) => ![200, 429, 503].includes(status)) ? [`statuses: ${[...new Set(statuses)].join()}`] : [];
      return { got: `${served} of ${statuses.length} readers served`, broken };
    },
  },
];
