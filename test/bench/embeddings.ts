import type { Measurement } from './bench.ts';
import { INPUTS } from './events.ts';
import { Load } from './load.ts';
import { median } from './measure.ts';

/** What a request may cost, by a chat whose request and answer have as many bytes. */
const BY_CHAT = 1.5;

/** Bytes of one input. */
const INPUT_BYTES = 700;

/** Seconds until V8 has compiled what is hot. */
const WARM_UP = 5;

/** Seconds that one turn counts, and turns of a round: where a request is long, a short turn has a handful of them. */
const turnsOf = (inputs: number) => (inputs === 1 ? { seconds: 0.4, turns: 2 } : { seconds: 1.6, turns: 1 });

const embeddingsOf = (inputs: number): Measurement => ({
  name: `embeddings of ${inputs} input${inputs === 1 ? '' : 's'}`,
  oursOnly: true,
  async run(bench) {
    const { gateway, rounds } = bench;
    const promptBytes = inputs * INPUT_BYTES;
    const { seconds, turns } = turnsOf(inputs);
    const [chat, embeddings] = [
      new Load({ ...gateway, model: `answers-${inputs}` }, { promptBytes }, 16),
      new Load({ ...gateway, model: `embeddings-${inputs}` }, { promptBytes, inputs }, 16),
    ];
    const costs: { readonly ofChat: number; readonly ours: number }[] = [];
    try {
      for (const load of [chat, embeddings]) await load.run(WARM_UP);
      for (let turn = 0; turn < turns * rounds; turn++)
        costs.push({ ofChat: (await chat.run(seconds, 60)).cpu, ours: (await embeddings.run(seconds, 60)).cpu });
    } finally {
      for (const load of [chat, embeddings]) load.close();
    }
    bench.add({
      name: `${this.name}: CPU by that of a chat`,
      value: median(costs.map(({ ofChat, ours }) => ours / ofChat)),
      unit: 'x',
      target: { atMost: BY_CHAT },
      detail: `${median(costs.map(({ ours }) => ours)).toFixed(0)} against ${median(costs.map(({ ofChat }) => ofChat)).toFixed(0)} µs, as many bytes`,
    });
  },
});

export const embeddingMeasurements: readonly Measurement[] = INPUTS.map(embeddingsOf);
