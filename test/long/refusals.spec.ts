import { Agent, request } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { started } from '../../src/common/testing/started.js';
import { GatewayProgram } from '../support/gateway-program.js';
import { until } from '../support/until.js';

const REQUESTS = 10_000;
/** For each reason: 60 at once and 60 a minute; the test takes no five minutes. */
const MOST = 3 * 60 * 6;

describe('Requests without a valid key', () => {
  const program = started(() => GatewayProgram.build(), 'dispose');

  it('are counted, and leave a bounded number of records and log lines', async () => {
    const { process, baseURL, liveKey } = await program.start({ observability: { log_level: 'info' } });
    const agent = new Agent({ keepAlive: true, maxSockets: 32 });
    const get = (path: string, headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const asked = request(new URL(path, baseURL), { agent, headers }, (answer) =>
          answer.resume().on('end', () => resolve(answer.statusCode!)),
        );
        asked.on('error', reject).end();
      });
    const ask = (i: number) => {
      if (i % 3 === 0) return get('/v1/models', {});
      if (i % 3 === 1) return get('/v1/models', { authorization: `Bearer sy-live-${'x'.repeat(32)}` });
      return get(`/elsewhere/${i}`, { authorization: 'Bearer nonsense' });
    };
    for (let i = 0; i < REQUESTS; i += 500) {
      const statuses = await Promise.all(Array.from({ length: 500 }, (_, j) => ask(i + j)));
      expect(new Set(statuses)).toEqual(new Set([401]));
    }
    expect(await get('/v1/models', { authorization: `Bearer ${liveKey}` })).toBe(200);

    let metrics = '';
    const counted = () =>
      [...metrics.matchAll(/switchyard_requests_total\{[^}]*status="401"[^}]*\} (\d+)/g)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    await until(async () => {
      metrics = await (await fetch(new URL('/metrics', baseURL))).text();
      return counted() >= REQUESTS;
    }, 'the counter');
    expect(counted()).toBe(REQUESTS);

    agent.destroy();
    process.signal('SIGTERM');
    const { stderr } = await process.exited;
    const lines = stderr.split('\n').filter((line) => line.includes('"msg":"request"'));
    const refused = lines.filter((line) => line.includes('"status":401'));
    expect(refused.length).toBeGreaterThanOrEqual(2 * 60);
    expect(refused.length).toBeLessThanOrEqual(MOST);
    // Whoever has a key leaves a line, however many others come.
    expect(lines.filter((line) => line.includes('"status":200') && line.includes('/v1/models')).length).toBe(1);
    const left = [...stderr.matchAll(/(\d+) requests without a valid key/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(left + refused.length).toBe(REQUESTS);

    const store = new DatabaseSync(`${process.cwd}/data/switchyard.db`, { readOnly: true });
    const rows = store.prepare('select count(*) as count from request_record where key_id is null').get() as { count: number };
    const others = store.prepare('select count(*) as count from request_record where key_id is not null').get() as { count: number };
    store.close();
    expect(rows.count).toBeGreaterThanOrEqual(60);
    expect(rows.count).toBeLessThanOrEqual(MOST);
    expect(others.count).toBe(1);
  });
});

describe('Requests of a key that are refused', () => {
  const program = started(() => GatewayProgram.build(), 'dispose');

  it('leave a record each, and a bounded number of log lines that tell how many were left out', async () => {
    const { process, baseURL, liveKey } = await program.start({ observability: { log_level: 'info' } });
    const post = async (body: object) => {
      const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' };
      const answer = await fetch(`${baseURL}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) });
      await answer.arrayBuffer();
      return answer.status;
    };
    const COUNT = 1_000;
    for (let i = 0; i < COUNT; i += 20) {
      const statuses = await Promise.all(Array.from({ length: 20 }, () => post({ model: 'sandbox-chat', messages: 'none' })));
      expect(new Set(statuses)).toEqual(new Set([400]));
    }
    expect(await post({ model: 'sandbox-chat', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })).toBe(200);

    process.signal('SIGTERM');
    const { stderr } = await process.exited;
    const lines = stderr
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line) as { status: number; left_out?: number });
    const refused = lines.filter(({ status }) => status === 400).length;
    expect(refused).toBeGreaterThanOrEqual(60);
    // 60 at once and 60 a minute; the test takes no five minutes.
    expect(refused).toBeLessThanOrEqual(60 * 6);
    expect(lines.at(-1)!.status).toBe(200);
    expect(lines.reduce((sum, { left_out = 0 }) => sum + left_out, refused)).toBe(COUNT);

    const store = new DatabaseSync(`${process.cwd}/data/switchyard.db`, { readOnly: true });
    const rows = store.prepare('select count(*) as count from request_record where status = 400').get() as { count: number };
    store.close();
    expect(rows.count).toBe(COUNT);
  });
});
