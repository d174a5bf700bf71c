import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ModulesContainer } from '@nestjs/core';
import { createTestApp } from '../support/create-test-app.js';
import { GatewayProgram } from '../support/gateway-program.js';
import { Gateway } from '../support/gateway.js';
import { longForm } from '../support/long-form.js';
import { stopUnderTraffic } from '../support/stop-under-traffic.js';

const STOPS = longForm ? 100 : 5;
/** Milliseconds of traffic before the first stop, and so many more before the last. */
const FIRST = 100;
const SPREAD = 700;

describe('A gateway that ends', () => {
  it('has stored all that it writes in the background', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-stop-'));
    try {
      const gateway = await Gateway.start({ store: { data_dir: folder }, observability: { store_text: true } });
      const body = { model: 'sandbox-chat', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
      const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.post('chat/completions', body)));
      await gateway.close();
      const ids = answers.map(({ headers }) => String(headers['x-request-id'])).sort();
      const store = new DatabaseSync(join(folder, 'switchyard.db'), { readOnly: true });
      const recorded = 'select request_id from usage where attempts is not null union all select request_id from request_record';
      for (const table of [`(${recorded})`, 'request_text', 'usage'])
        expect(
          store
            .prepare(`select request_id from ${table} order by request_id`)
            .all()
            .map((row) => row.request_id),
        ).toEqual(ids);
      expect(store.prepare('select sum(served) as served from performance').all()).toEqual([{ served: 20 }]);
      store.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('waits for its own hooks without a limit, those of global modules too', async () => {
    const gateway = await createTestApp();
    const names = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'];
    const made = [...gateway.app.get(ModulesContainer).values()].flatMap(({ providers }) => [...providers.values()]);
    const instances = made.map(({ instance }) => instance).filter((one) => typeof one === 'object' && one !== null);
    expect(instances.some((one) => names.some((name) => name in one))).toBe(true);
    expect(instances.filter((one) => names.some((name) => Object.hasOwn(one, name)))).toEqual([]);
    await gateway.close();
  });

  it(`loses no record of what it has answered, in ${STOPS} stops under traffic`, async () => {
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
});
