import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { started } from '../../src/common/testing/started.js';
import { describePostgres } from '../../src/database/testing/describe-engines.js';
import { Cluster, complete, listModels, type Node } from '../support/cluster.js';
import { until } from '../support/until.js';

/** Milliseconds, of which most are the machine's: what the gateways themselves promise is a second. */
const SOON = 30_000;

describePostgres('Several gateways on one PostgreSQL', () => {
  const cluster = started(() => Cluster.begin(), 'end');

  it('need an address and a pepper, and nothing else', async () => {
    const [one, two] = await Promise.all([cluster.start(), cluster.start()]);
    expect(one.process.stdout).not.toMatch(/\bsy-(live|test)-\w{32}\b/);
    const { key, keyId } = await cluster.customer('1', 'test');
    for (const { url } of [one, two]) {
      await until(async () => (await listModels(url, key)) === 200, 'the key is known', SOON);
      const answer = await complete(url, key, { model: 'sandbox-chat', max_tokens: 5 });
      expect(answer).toMatchObject({ status: 200, body: { object: 'chat.completion' } });
    }
    await cluster.cli('models', 'disable', 'sandbox-chat', '--message', 'Back at noon');
    for (const { url } of [one, two])
      await until(
        async () => (await complete(url, key, { model: 'sandbox-chat' })).body.error?.message.includes('Back at noon') === true,
        'the switch',
        SOON,
      );
    await cluster.cli('models', 'enable', 'sandbox-chat');
    const revoked = cluster.cli('keys', 'revoke', keyId);
    for (const { url } of [one, two]) await until(async () => (await listModels(url, key)) === 401, 'the key is refused', SOON);
    await revoked;
    expect(await cluster.cli('ledger', 'verify')).toMatch(/^OK: /);
  });

  it('say in one line that the pepper is missing, or is another', async () => {
    const { DATABASE_URL } = cluster.env;
    const missing = await cluster.process({ DATABASE_URL: DATABASE_URL! });
    expect(await missing.exited).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'SWITCHYARD_PEPPER is required with DATABASE_URL: at least 32 random characters\n',
    });
    const other = await cluster.process({ ...cluster.env, SWITCHYARD_PEPPER: 'another pepper than that of the cluster' });
    const { code, stderr } = await other.exited;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The pepper is not the one this store’s keys were made with: [^\n]+\n$/);
  });

  describe('with a provider that charges', () => {
    let upstream: Server;
    let asked = 0;
    let nodes: readonly Node[];

    beforeAll(async () => {
      // Ten tokens an answer, all that a request may have: what is held is what is charged.
      upstream = createServer((request, response) => {
        request.resume().on('end', () => {
          asked++;
          const body = {
            choices: [
              {
                index: 0,
                message: { role: 'assistant', content: 'one two three four five six seven eight nine ten' },
                finish_reason: 'length',
              },
            ],
            usage: { prompt_tokens: 1, completion_tokens: 10, total_tokens: 11 },
          };
          const say = () => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
          setTimeout(say, 200); // The provider's own time.
        });
      });
      await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
      const { port } = upstream.address() as AddressInfo;
      const settings = {
        // Recalls wait a tenth of it for an answer: more than this machine ever needs.
        store: { lease_ttl: 300_000 },
        providers: {
          upstream: {
            base_url: `http://127.0.0.1:${port}/v1`,
            models: { exact: { pricing: { prompt: 0, completion: 1 }, context_length: 100_000, max_tokens: 100 } },
          },
        },
      };
      nodes = await Promise.all([cluster.start(settings as never), cluster.start(settings as never), cluster.start(settings as never)]);
    });
    afterAll(() => upstream.close());

    it('let exactly ten of 200 concurrent requests through where the account can pay for ten', async () => {
      const { account, key } = await cluster.customer('0.1');
      for (const { url } of nodes) await until(async () => (await listModels(url, key)) === 200, 'the key is known', SOON);
      const before = asked;
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) => complete(nodes[index % 3]!.url, key, { model: 'exact', max_tokens: 10 })),
      );
      const counts = { 200: 0, 402: 0 } as Record<number, number>;
      for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
      expect(counts).toEqual({ 200: 10, 402: 190 });
      for (const { status, body } of answers) if (status === 402) expect(body.error?.code).toBe('insufficient_credits');
      expect(asked - before).toBe(10);
      await until(async () => (await cluster.balance(account)).posted === 0n, 'an empty account', SOON);
      expect(await cluster.balance(account)).toEqual({ posted: 0n, reserved: 0n });
      expect(await cluster.cli('ledger', 'verify')).toMatch(/^OK: /);
    });

    it('carry on from what they have leased while PostgreSQL is down, then answer 503, and recover by themselves', async () => {
      const { account, key } = await cluster.customer('100');
      const stranger = await cluster.customer('100');
      const [{ url }] = nodes as [Node];
      const ask = (customer = key) => complete(url, customer, { model: 'exact', max_tokens: 10 });
      await until(async () => (await listModels(url, stranger.key)) === 200, 'the key is known', SOON);
      expect((await ask()).status).toBe(200);

      await cluster.postgres.halt('SIGQUIT');
      await delay(1_000); // Longer than the gateway, a program, takes to find out, and to try again.
      for (let count = 0; count < 5; count++) expect((await ask()).status).toBe(200);
      // Nothing is leased of this account, and more than is leased of the other.
      const refused = [await ask(stranger.key), await complete(url, key, { model: 'exact', max_tokens: 100, n: 128 })];
      for (const { status, headers, body } of refused) {
        expect({ status, code: body.error?.code }).toEqual({ status: 503, code: 'service_unavailable' });
        expect(headers.get('retry-after')).toBe('1');
      }
      expect(await listModels(url, key)).toBe(200);

      await cluster.postgres.resume();
      await until(async () => (await ask(stranger.key)).status === 200, 'recovery', SOON);
      // Six answers of ten tokens at a credit a thousand.
      await until(async () => (await cluster.balance(account)).posted === 100_000_000_000n - 60_000_000n, 'all settled', SOON);
      await cluster.cli('keys', 'revoke', stranger.keyId);
      await until(async () => (await listModels(url, stranger.key)) === 401, 'told of changes again', SOON);
      expect(await cluster.cli('ledger', 'verify')).toMatch(/^OK: /);
    });
  });
});
