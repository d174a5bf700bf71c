import { Agent, request } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { GatewayProgram } from './gateway-program.js';

const CLIENTS = 24;

/**
 * Starts a gateway, ends it by SIGTERM while clients ask as fast as they can, and compares what they were answered with
 * what is in the store.
 * @param ms of traffic before the signal
 * @returns ids of answered requests, and those of them that have no record
 */
export async function stopUnderTraffic(program: GatewayProgram, ms: number): Promise<{ answered: string[]; lost: string[] }> {
  const { process: gateway, baseURL, liveKey } = await program.start({ observability: { log_level: 'warn' } });
  const answered: string[] = [];
  const agent = new Agent({ keepAlive: true });
  const body = JSON.stringify({ model: 'sandbox-chat', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] });
  const ask = (): Promise<boolean> =>
    new Promise((resolve) => {
      const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' };
      const asked = request(`${baseURL}/chat/completions`, { method: 'POST', agent, headers }, (answer) => {
        answered.push(String(answer.headers['x-request-id']));
        answer.resume().on('close', () => resolve(true));
      });
      asked.on('error', () => resolve(false)).end(body);
    });
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (await ask());
  });
  await delay(ms);
  gateway.signal('SIGTERM');
  const { code, stderr } = await gateway.exited;
  await Promise.all(clients);
  agent.destroy();
  if (code !== 0 || stderr.includes('wait for the store')) throw new Error(`ended with ${code}: ${stderr}`);
  const store = new DatabaseSync(`${gateway.cwd}/data/switchyard.db`, { readOnly: true });
  const recorded = new Set(
    store
      .prepare('select request_id from request_record union all select request_id from usage where attempts is not null')
      .all()
      .map(({ request_id }) => request_id),
  );
  store.close();
  return { answered, lost: answered.filter((id) => !recorded.has(id)) };
}
