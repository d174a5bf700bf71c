import type { Bench, Measurement } from './bench.ts';
import { Load, type Shape } from './load.ts';
import { median } from './measure.ts';
import { FLAT, PACED } from './streams.ts';

/** What a chunk may cost in another format, by one of a chat whose provider sends the same bytes. */
const BY_CHAT = 1.5;

/** Seconds that one turn counts, and until V8 has compiled what is hot. */
const SECONDS = { turn: 0.4, warmUp: 4 };

const formats = { responses: '/v1/responses', messages: '/v1/messages' } as const;

/** How chunks come: many to a read, each by template or each parsed; or one to a read. */
const kinds = [
  { title: 'flat out', model: 'bench', load: FLAT, turn: SECONDS.turn },
  { title: 'flat out, parsed', model: 'ids', load: FLAT, turn: SECONDS.turn },
  { title: 'paced', model: 'bench', load: PACED, turn: 1 },
] as const;

type Kind = (typeof kinds)[number];

const chunkIn = (format: keyof typeof formats): Measurement => ({
  name: `chunk in ${format}`,
  oursOnly: true,
  async run(bench) {
    for (const kind of kinds) if (bench.full || kind.load !== PACED) await addRow(bench, this.name, formats[format], kind);
  },
});

async function addRow(bench: Bench, name: string, path: string, { title, model, load, turn }: Kind): Promise<void> {
  const { gateway, rounds } = bench;
  const { shape, streams } = load;
  const loads = [undefined, path].map((way) => {
    const asked: Shape = { promptBytes: 500, stream: shape, path: way };
    return new Load({ ...gateway, model }, asked, streams);
  });
  const costs: { readonly chat: number; readonly ours: number }[] = [];
  const leadIn = 60 + shape.pieces * shape.paceMs;
  try {
    for (const each of loads) await each.run(SECONDS.warmUp);
    for (let round = 0; round < 2 * rounds; round++) {
      const [chat, ours] = [await loads[0]!.run(turn, leadIn, shape.pieces), await loads[1]!.run(turn, leadIn, shape.pieces)];
      costs.push({ chat: chat.cpu, ours: ours.cpu });
    }
  } finally {
    for (const each of loads) each.close();
  }
  bench.add({
    name: `${name}, ${title}: CPU by that in chat`,
    value: median(costs.map(({ chat, ours }) => ours / chat)),
    unit: 'x',
    target: { atMost: BY_CHAT },
    detail: `${median(costs.map(({ ours }) => ours)).toFixed(2)} against ${median(costs.map(({ chat }) => chat)).toFixed(2)} µs`,
  });
}

export const formatMeasurements: readonly Measurement[] = (['responses', 'messages'] as const).map(chunkIn);
