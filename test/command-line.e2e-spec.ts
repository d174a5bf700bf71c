import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../src/cli/testing/run-command.js';
import { sharedFolder } from '../src/common/testing/started.js';
import { Database } from '../src/database/database.js';
import { Administration } from './support/administration.js';
import { describeGateways } from './support/describe-gateways.js';
import { useGateway } from './support/started.js';

describeGateways('The command line beside a gateway', (start) => {
  const gateway = useGateway(() => start());
  const folder = sharedFolder();
  const switchyard = (...args: string[]) => {
    const file = join(folder, 'switchyard.yaml');
    const { config, port } = gateway.running;
    // A JSON file is a YAML file.
    writeFileSync(
      file,
      JSON.stringify({ server: { port, public_url: 'https://elsewhere.invalid' }, store: config.store, keys: config.keys }),
    );
    return runCommand(...args, '--config', file);
  };

  it('suspends, resumes and closes an account, whose books are kept', async () => {
    const { accountId, liveKey } = await gateway.newCustomer();
    const asked = () => gateway.get('models', liveKey);
    const does = async (verb: string, status: string) => {
      const done = await switchyard('accounts', verb, accountId);
      expect(done).toEqual({ code: 0, err: '', out: expect.stringContaining(`(${accountId}) is ${status}.`) });
      await gateway.running.app.get(Database).look();
    };
    await asked().expect(200);
    for (let times = 0; times < 2; times++) await does('suspend', 'suspended');
    await asked().expect(401);
    await does('resume', 'active');
    await asked().expect(200);
    await does('delete', 'closed');
    await asked().expect(401);
    for (const verb of ['resume', 'suspend'])
      expect(await switchyard('accounts', verb, accountId)).toMatchObject({ code: 1, err: expect.stringContaining('is closed, for good') });
    expect(await switchyard('accounts', 'suspend', 'none')).toMatchObject({ code: 1, err: expect.stringContaining("no account 'none'") });
    const row = (await switchyard('accounts', 'list')).out.split('\n').find((line) => line.startsWith(accountId));
    expect(row).toMatch(/ closed /);
    expect(JSON.parse((await switchyard('credits', 'show', '-a', accountId, '--json')).out)).toMatchObject([
      { environment: 'live', balance: expect.stringMatching(/[1-9]/) },
      { environment: 'test' },
    ]);
    const operator = await Administration.as(gateway.running, 'operator');
    const { data } = (await operator.get(`accounts/${accountId}/audit-log`)).body as { data: object[] };
    expect(data.slice(0, 3)).toMatchObject(
      ['delete', 'resume', 'suspend'].map((verb) => ({ action: `accounts ${verb}`, fields: ['status'] })),
    );
  });

  it('lists the models at the configured port, with a key or without, and leaves no token behind', async () => {
    const { data } = (await gateway.get('models?active_only=true')).body as { data: { id: string }[] };
    const ids = (out: string) =>
      out
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(' ')[0]!);
    const own = await switchyard('models', 'list');
    expect(own).toMatchObject({ code: 0, err: '' });
    expect(ids(own.out)).toEqual(data.map(({ id }) => id).sort());
    const asKey = await switchyard('models', 'list', '--key', gateway.customer.liveKey);
    expect(ids(asKey.out).sort()).toEqual(ids(own.out));
    expect((await switchyard('tokens', 'list')).out).not.toContain('models list');
    expect(await switchyard('models', 'list', '--url', gateway.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining('--url takes --key'),
    });
  });
});
