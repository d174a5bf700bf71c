import { setTimeout as wait } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import type { Scene } from '../scene.ts';

const group = '6 people and administration';
/** Milliseconds within which a revoked key is served no more, as the documents promise. */
const REVOKED = 1_000;
/** Milliseconds between two tries of the key. */
const TRY = 50;

interface Call {
  readonly method?: string;
  readonly body?: object;
  readonly token?: string;
}

/** Calls the administration API. Never rejects: 0 where no answer came. */
async function call(
  { gateway }: Scene,
  path: string,
  { method = 'GET', body, token }: Call = {},
): Promise<{ status: number; body: unknown }> {
  const address = `${gateway.url.replace(/\/v1$/, '')}/admin/v1/${path}`;
  const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) };
  try {
    const answer = await fetch(address, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(90_000),
    });
    return { status: answer.status, body: await answer.json().catch(() => undefined) };
  } catch {
    return { status: 0, body: undefined };
  }
}

async function tokenOf({ gateway }: Scene, role: string, account?: string): Promise<string> {
  const made = (await gateway.command('tokens', 'create', '--role', role, ...(account ? ['--account', account] : []))) as { token: string };
  return made.token;
}

function counted(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} x ${status}`).join(', ');
}

/** Milliseconds until a key that is being revoked is refused. */
async function revocation(scene: Scene, token: string): Promise<number> {
  const { account } = scene.attacker;
  const { key, keyId } = await scene.gateway.key(account);
  await scene.ask({ model: 'm', messages: [{ role: 'user', content: 'x' }] }, {}, { key });
  const began = performance.now();
  const revoked = call(scene, `accounts/${account}/keys/${keyId}`, { method: 'DELETE', token });
  for (;;) {
    const { status } = await scene.ask({ model: 'm', messages: [] }, {}, { key });
    if (status === 401) break;
    if (performance.now() - began > 60_000) return Infinity;
    await wait(TRY);
  }
  const ms = performance.now() - began;
  await revoked;
  return ms;
}

export const peopleAttacks: readonly Attack[] = [
  {
    group,
    name: '600 reads at once of requests that are not there, beside a revocation',
    short: true,
    async run(scene) {
      const [viewer, owner] = [await tokenOf(scene, 'viewer', scene.attacker.account), await tokenOf(scene, 'operator')];
      const path = `accounts/${scene.attacker.account}/requests?id=ffff`;
      const reads = Promise.all(Array.from({ length: 600 }, () => call(scene, path, { token: viewer })));
      const ms = await revocation(scene, owner);
      const statuses = (await reads).map(({ status }) => status);
      const broken = statuses.some((status) => ![200, 429, 503].includes(status)) ? [counted(statuses)] : [];
      if (ms > REVOKED * scene.slowness) broken.push(`the key was served for ${ms.toFixed(0)} ms`);
      return { got: `${counted(statuses)}; refused after ${ms.toFixed(0)} ms`, share: [0, 1], broken };
    },
  },
  {
    group,
    name: 'keys with lists of patterns, as many as may be, and a start with them',
    short: true,
    stops: true,
    async run(scene) {
      const token = await tokenOf(scene, 'developer', scene.second.account);
      const patterns = Array.from({ length: 200 }, (_, index) => `${'*'.repeat(200)}${index}`);
      const body = { environment: 'live', rules: { models: { allow: patterns, deny: patterns } } };
      const statuses: number[] = [];
      for (let made = 0; made < 600 && statuses.at(-1) !== 429 && (statuses.at(-1) ?? 201) < 300; made++)
        statuses.push((await call(scene, `accounts/${scene.second.account}/keys`, { method: 'POST', body, token })).status);
      const broken = statuses.length === 600 ? ['no limit'] : [];
      await scene.gateway.stop();
      await scene.gateway.restart().catch(() => broken.push('it does not start again'));
      return { got: counted(statuses), share: [0, 1], broken };
    },
  },
  {
    group,
    name: '300 wrong passwords and 300 links asked for at once',
    short: true,
    async run(scene) {
      const tries = await Promise.all(
        Array.from({ length: 300 }, async (_, index) => [
          (await call(scene, 'session', { method: 'POST', body: { email: 'owner@localhost', password: `wrong words ${index}` } })).status,
          (await call(scene, 'session/link-requests', { method: 'POST', body: { email: `nobody-${index}@example.com` } })).status,
        ]),
      );
      const statuses = tries.flat();
      const broken = statuses.some((status) => status === 0 || status === 500) ? [counted(statuses)] : [];
      return { got: counted(statuses), broken };
    },
  },
];
