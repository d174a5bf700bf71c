import type { ManualClock } from '../../src/common/testing/manual-clock.js';
import { started } from '../../src/common/testing/started.js';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.js';
import { Gateway } from './gateway.js';

type Settings = NonNullable<Parameters<typeof Gateway.start>[0]>;

/** @param clock by which the gateway lives, and the embedded store; PostgreSQL has its own */
type StartGateway = (settings?: Settings, clock?: ManualClock) => Promise<Gateway>;

/**
 * The same specs with gateways on either engine.
 * @param specs is given what starts one: on the embedded store each has a store of its own, on PostgreSQL all of a
 * block share one
 */
export function describeGateways(name: string, specs: (start: StartGateway) => void): void {
  describe(name, () => {
    specs((settings, clock) => Gateway.start(settings, undefined, clock));
  });
  describeSharedGateways(name, specs);
}

/** Specs with several gateways on one PostgreSQL. */
export function describeSharedGateways(name: string, specs: (start: StartGateway) => void): void {
  describePostgres(name, () => {
    const postgres = started(() => TemporaryPostgres.start());
    specs(({ store, keys, ...settings } = {}, clock) =>
      Gateway.start(
        {
          ...settings,
          store: { database_url: postgres.url, ...store },
          keys: { pepper: 'the pepper of all gateways of a spec', ...keys },
        },
        undefined,
        clock,
      ),
    );
    // After the specs' own, which close the gateways.
    afterAll(() => postgres.stop());
  });
}
