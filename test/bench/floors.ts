import type { Measurement } from './bench.ts';
import { saturate } from './measure.ts';
import { compare, small } from './requests.ts';

const kinds = { http: 'node:http and undici', fastify: 'Fastify and undici' } as const;

/** Seconds until V8 has compiled what a floor has. */
const WARM_UP = 5;

/** What part of the target for a request the frameworks take for themselves. */
const floors: Measurement = {
  name: 'floors, 1 KB, 64 connections',
  fullOnly: true,
  async run(bench) {
    for (const [kind, name] of Object.entries(kinds)) {
      const floor = await bench.floor(kind as keyof typeof kinds);
      try {
        await saturate(floor, small, 64, WARM_UP);
        await compare({ ...bench, gateway: floor }, `${name} alone, 1 KB`, (target) => saturate(target, small, 64, bench.seconds), {});
      } finally {
        await floor.stop();
      }
    }
  },
};

export const floorMeasurements: readonly Measurement[] = [floors];
