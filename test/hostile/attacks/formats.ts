import type { Attack, Found } from '../attack.ts';
import type { Play } from '../hostile-provider.ts';
import type { Scene } from '../scene.ts';

const group = '8 messages and embeddings';
const MB = 1024 * 1024;

/** Blocks of thinking whose signatures say that a gateway has made them. */
function forged(bytes: number): Buffer {
  const facts = Buffer.from(`{"extra_content":{${Array.from({ length: 3_000 }, (_, index) => `"n${index}":0`).join(',')}}}`).toString(
    'base64url',
  );
  const block = `{"type":"thinking","thinking":"x","signature":"switchyard.2.${'A'.repeat(22)}.${facts}"}`;
  const turn = `{"role":"assistant","content":[${block}]},{"role":"user","content":"x"}`;
  const turns = Array.from({ length: Math.floor(bytes / turn.length) }, () => turn).join(',');
  return Buffer.from(`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"x"},${turns}]}`);
}

/** A number for each input. */
const vectors: Play = (exchange) => {
  const { input } = exchange.body as { input: readonly string[] };
  const data = input.map((_, index) => ({ object: 'embedding', index, embedding: [0.5] }));
  exchange.json(200, { object: 'list', model: 'vectors', data, usage: { prompt_tokens: exchange.prompt, total_tokens: exchange.prompt } });
};

async function sendAll(scene: Scene, path: string, body: Buffer, times: number): Promise<Found> {
  if (path === '/embeddings') scene.provider.plays(vectors);
  const answers = await scene.many(times, 4, () => scene.ask(body, { path }));
  const statuses = answers.map(({ status }) => status);
  const broken = statuses.filter((status) => ![200, 400, 413, 429, 503].includes(status)).map((status) => `status ${status}`);
  return {
    got: `${statuses.filter((status) => status === 200).length} of ${times} answered`,
    share: [0, 1],
    bytes: times * body.length,
    broken,
  };
}

const one = (name: string, path: string, body: () => Buffer, times: number): Attack => ({
  group,
  name,
  short: true,
  watch: 1_500,
  run: (scene) => sendAll(scene, path, body(), times),
});

export const formatAttacks: readonly Attack[] = [
  one('forged signatures of 31 MB', '/messages', () => forged(31 * MB), 4),
  one('forged signatures of 31 MB, counted', '/messages/count_tokens', () => forged(31 * MB), 4),
  one(
    '20 MB of inputs for embeddings',
    '/embeddings',
    () => Buffer.from(JSON.stringify({ model: 'vectors', input: Array.from({ length: 2_000 }, () => 'words '.repeat(1_700)) })),
    4,
  ),
];
