import { GatewayProgram } from '../support/gateway-program.js';
import { stopUnderTraffic } from '../support/stop-under-traffic.js';

/** The short form is in stop.e2e-spec.ts. */
it('loses no record in a hundred stops under traffic', async () => {
  const program = await GatewayProgram.build();
  try {
    for (let stop = 0; stop < 100; stop++) {
      const { answered, lost } = await stopUnderTraffic(program, 100 + 7 * stop);
      expect(answered.length).toBeGreaterThan(0);
      expect({ stop, lost }).toEqual({ stop, lost: [] });
    }
  } finally {
    await program.dispose();
  }
}, 1_800_000);
