import type { Bench, Measurement } from './bench.ts';
import { saturate } from './measure.ts';
import { compare, small } from './requests.ts';

const kinds: Readonly<Record<Parameters<Bench['floor']>[0], string>> = {
  http: 'node:http and undici',
  fastify: 'Fastify and undici',
  nest: 'NestJS, Fastify and undici',
};

/** Seconds until V8 has compiled what a floor has. */
const WARM_UP = 10;

const CONNECTIONS = [16, 1, 64, 256];

/** What part of the target for a request the frameworks take for themselves. */
const floors: Measurement = {
  name: 'floors, 1 KB',
  fullOnly: true,
  async run(bench) {
    for (const [kind, name] of Object.entries(kinds)) {
      const floor = await bench.floor(kind as keyof typeof kinds);
      try {
        await saturate(floor, small, CONNECTIONS[0]!, WARM_UP);
        for (const connections of CONNECTIONS) {
          const carry = (target: typeof floor) => saturate(target, small, connections, bench.seconds);
          for (const target of [bench.baseline, floor]) await carry(target);
          await compare({ ...bench, gateway: floor }, `${name} alone, 1 KB, ${connections}`, carry, {});
        }
      } finally {
        await floor.stop();
      }
    }
  },
};

export const floorMeasurements: readonly Measurement[] = [floors];
