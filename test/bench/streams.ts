import type { Bench, Measurement } from './bench.ts';
import type { LoadResult } from './load.ts';
import { delays, median, percentile, streaming } from './measure.ts';
import type { Target } from './processes.ts';
import { compare } from './requests.ts';
import type { StreamShape } from './stream-shape.ts';

export const FLAT = { shape: { pieces: 500, paceMs: 0, mode: 'flat' }, streams: 16 } as const;
export const PACED = { shape: { pieces: 50, paceMs: 20, mode: 'paced' }, streams: 50 } as const;

interface Kind {
  readonly shape: StreamShape;
  readonly streams: number;
}

/** Seconds in which V8 compiles what is hot. */
const WARM_UP = { baseline: 2, gateway: 6 };

/** Of dear turns the quick form takes three. */
const few = ({ full, rounds }: Bench): number => (full ? rounds : 3);

const flatOut: Measurement = {
  name: 'stream, flat out',
  async run(bench) {
    const turn = (target: Target, seconds: number) => streaming(target, FLAT.shape, FLAT.streams, seconds);
    await turn(bench.baseline, WARM_UP.baseline);
    await turn(bench.gateway, WARM_UP.gateway);
    await compare(bench, this.name, (target) => turn(target, bench.seconds), { cpu: 1.4 });
  },
};

/** Counts whole streams, which begin and end together. */
const paced: Measurement = {
  name: 'stream, paced',
  async run(bench) {
    const seconds = Math.ceil(bench.seconds);
    const turn = (target: Target): Promise<LoadResult> => streaming(target, PACED.shape, PACED.streams, seconds);
    await turn(bench.gateway);
    await compare({ ...bench, rounds: few(bench) }, this.name, turn, { cpu: 1.15 });
  },
};

const ways = {
  first: 'first chunk, provider to client',
  later: 'later chunk, provider to client',
} as const;

const delay: Measurement = {
  name: 'stream, delay of chunks',
  async run(bench) {
    const shape: StreamShape = { pieces: 24, paceMs: 5, mode: 'timed' };
    const [base, ours] = await delays([bench.baseline, bench.gateway], shape, bench.full ? 30 : 12);
    for (const which of ['began', 'first', 'later'] as const) {
      const [b, o] = [percentile(base![which], 0.5), percentile(ours![which], 0.5)];
      const detail = `baseline ${b.toFixed(2)}, gateway ${o.toFixed(2)} ms; p99 ${percentile(base![which], 0.99).toFixed(2)}, ${percentile(ours![which], 0.99).toFixed(2)} ms`;
      bench.add(
        which === 'began'
          ? { name: 'stream, request to first chunk: p50', value: o / b, unit: 'x', target: { atMost: 1.3 }, detail }
          : { name: `stream, ${ways[which]}, over the baseline's: p50`, value: o - b, unit: 'ms', target: { atMost: 0.15 }, detail },
      );
    }
    bench.add({
      name: 'stream, chunks merged over the baseline’s',
      value: (ours!.merged - base!.merged) * 100,
      unit: '%',
      target: { atMost: 0.5 },
      detail: `baseline ${(base!.merged * 100).toFixed(2)}, gateway ${(ours!.merged * 100).toFixed(2)} % read together with the one before`,
    });
  },
};

const protocols = [
  { name: 'chat-completions by template', model: 'bench', path: '/v1/chat/completions' },
  { name: 'chat-completions parsed', model: 'ids', path: '/ids/chat/completions' },
  { name: 'Anthropic', model: 'anthropic', path: '/anthropic/v1/messages', promised: 2 },
  { name: 'Gemini', model: 'gemini', path: '/gemini/v1beta/models/gemini:streamGenerateContent', promised: 2 },
] as const;

/** Each protocol beside a plain pipe of the same bytes, and beside the compatible one. */
const byProtocol = (title: string, { shape, streams }: Kind, fullOnly = false): Measurement => ({
  name: `protocols, ${title}`,
  fullOnly,
  oursOnly: true,
  async run(bench) {
    const seconds = Math.min(bench.seconds, 1);
    const ofPipe = shape.paceMs === 0 ? seconds / 2 : seconds;
    const found = protocols.map(() => ({ pipe: [] as number[], ours: [] as number[] }));
    // What is hot in one protocol alone, the warm-up has not compiled.
    for (const { model } of protocols) await streaming({ ...bench.gateway, model }, shape, streams, 1);
    for (let round = 0; round < few(bench); round++) {
      for (const [index, { model, path }] of protocols.entries()) {
        found[index]!.pipe.push((await streaming(bench.baseline, shape, streams, ofPipe, path)).cpu);
        found[index]!.ours.push((await streaming({ ...bench.gateway, model }, shape, streams, seconds)).cpu);
      }
    }
    const compatible = found[0]!;
    for (const [index, protocol] of protocols.entries()) {
      const { pipe, ours } = found[index]!;
      const overPipe = median(ours.map((cpu, round) => cpu / pipe[round]!));
      bench.add({
        name: `${protocol.name}, ${title}: CPU per chunk`,
        value: median(ours.map((cpu, round) => cpu / compatible.ours[round]!)),
        unit: 'x',
        target: 'promised' in protocol ? { atMost: protocol.promised } : undefined,
        detail: `of the first; ${median(ours).toFixed(2)} µs, a plain byte pipe ${median(pipe).toFixed(2)} µs: ${overPipe.toFixed(2)} x of it`,
      });
    }
  },
});

export const streamMeasurements: readonly Measurement[] = [
  flatOut,
  paced,
  delay,
  byProtocol('flat out', FLAT),
  byProtocol('paced', PACED, true),
];
