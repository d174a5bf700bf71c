import { GatewayProgram } from '../support/gateway-program.js';
import { longForm } from '../support/long-form.js';
import { stopUnderTraffic } from '../support/stop-under-traffic.js';

const STOPS = longForm ? 100 : 20;
/** Milliseconds of traffic before the first stop, and so many more before the last. */
const FIRST = 100;
const SPREAD = 700;

/** The short form is in stop.e2e-spec.ts. */
it(`loses no record in ${STOPS} stops under traffic`, async () => {
  const program = await GatewayProgram.build();
  try {
    for (let stop = 0; stop < STOPS; stop++) {
      const { answered, lost } = await stopUnderTraffic(program, FIRST + (SPREAD / STOPS) * stop);
      expect(answered.length).toBeGreaterThan(0);
      expect({ stop, lost }).toEqual({ stop, lost: [] });
    }
  } finally {
    await program.dispose();
  }
}, 1_800_000);
