import { type Clock, systemClock } from '../../common/time/clock.js';
import type { LeasedPlaces } from '../leased-places.js';
import type { LeasedRate } from '../leased-rate.js';

/** As LimitsService does it: @returns whether the units were taken */
export async function admit(pool: LeasedRate | LeasedPlaces, units: number, clock: Clock = systemClock): Promise<boolean> {
  for (let round = 0; ; round++) {
    const now = clock.monotonic();
    if (pool.has(units, now)) {
      pool.take(units, now);
      return true;
    }
    const asking = round < 3 ? pool.ask(units, now, round) : undefined;
    if (!asking) return false;
    await asking;
  }
}
