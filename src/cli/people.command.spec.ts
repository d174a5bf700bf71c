import { startedEach } from '../common/testing/started.js';
import { LedgerBench } from '../billing/testing/ledger-bench.js';
import { configSchema } from '../config/config.schema.js';
import { ConfigService } from '../config/config.service.js';
import type { OpenRequests } from '../http/server/open-requests.js';
import { Gateways } from '../observability/gateways.js';
import { PersonStore } from '../people/person-store.js';
import { runCommand } from './testing/run-command.js';

describe('switchyard people', () => {
  const gateway = startedEach(() => LedgerBench.start(), 'stop');
  const server = { public_url: 'https://gateway.example.com/' };
  const people = (...args: string[]) => runCommand('people', ...args, '--config', gateway.configFile({ server }));

  it('invites members and operators, with a link that is shown once', async () => {
    const { accountId } = await gateway.customer(1n);
    const member = await people('invite', 'Ada@example.com', '-a', accountId, '-r', 'admin', '--json');
    expect([member.code, JSON.parse(member.out)]).toMatchObject([0, { email: 'ada@example.com', role: 'admin', account_id: accountId }]);
    expect((JSON.parse(member.out) as { link: string }).link).toMatch(
      /^https:\/\/gateway\.example\.com\/dashboard\/invitations\/sy-invitation-\w{32}$/,
    );
    const operator = await people('invite', 'op@example.com', '--operator');
    expect(operator).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Invited op@example.com as operator') });
    for (const wrong of [[], ['--operator', '-r', 'admin'], ['-a', accountId], ['-r', 'admin']])
      expect(await people('invite', 'x@example.com', ...wrong)).toMatchObject({ code: 1, err: expect.stringContaining('either') });
    expect(await people('invite', 'no address', '--operator')).toMatchObject({ code: 1 });
  });

  it('makes links to the gateway that serves, whatever port it is run with itself', async () => {
    const config = new ConfigService(configSchema.parse({ server: { public_url: 'https://serving.example.com' } }));
    const serving = new Gateways(gateway.database, { size: 0 } as OpenRequests, config, gateway.clock);
    const link = async () => {
      const args = ['people', 'invite', 'op@example.com', '--operator', '--json'];
      const { out } = await runCommand(...args, '--config', gateway.configFile({ server: { port: 9999 } }));
      return new URL((JSON.parse(out) as { link: string }).link).origin;
    };
    expect(await link()).toBe('http://127.0.0.1:9999');
    serving.onApplicationBootstrap();
    expect(await serving.list()).toHaveLength(1);
    expect(await link()).toBe('https://serving.example.com');
    await serving.onApplicationShutdown();
  });

  it('lists people, lets them in by a link, and out', async () => {
    const store = new PersonStore(gateway.database);
    await gateway.database.change('person', (trx, version) => store.insert(trx, version, { email: 'ada@example.com', name: 'Ada' }));
    expect((await people('list')).out).toMatch(/ada@example\.com +Ada +no +no +active/);
    const { out } = await people('sign-in-link', 'ADA@example.com', '--json');
    expect((JSON.parse(out) as { link: string }).link).toMatch(
      /^https:\/\/gateway\.example\.com\/dashboard\/sign-in\?link=sy-link-\w{32}$/,
    );
    expect((await people('disable', 'ada@example.com')).out).toMatch(/^Disabled ada@example\.com/);
    expect(await people('sign-in-link', 'ada@example.com')).toMatchObject({
      code: 1,
      err: 'switchyard: ada@example.com is disabled, and no link signs them in: see switchyard people enable\n',
    });
    expect(JSON.parse((await people('list', '--json')).out)).toMatchObject([{ disabled_at: expect.stringMatching(/Z$/) }]);
    expect((await people('enable', 'ada@example.com')).code).toBe(0);
    expect(await people('disable', 'nobody@example.com')).toMatchObject({ code: 1, err: expect.stringContaining('there is nobody') });
    const log = await gateway.database.db.selectFrom('audit').select(['action', 'actor_kind', 'fields']).orderBy('id').execute();
    expect(log.map(({ action }) => action)).toEqual(['people sign-in-link', 'people disable', 'people enable']);
  });

  it('marks an address from before such ones were refused, and still finds who has it', async () => {
    const store = new PersonStore(gateway.database);
    await gateway.database.change('person', async (trx, version) => {
      const { id } = await store.insert(trx, version, { email: 'fi@example.com', name: 'Old' });
      await trx.updateTable('person').set({ email: '\ufb01@example.com' }).where('id', '=', id).execute();
      await store.insert(trx, version, { email: 'fi@example.com', name: 'New' });
    });
    const { out } = await people('list');
    expect(out).toMatch(/ Old +no +no +active, old address +\d/);
    expect(out).toMatch(/ New +no +no +active +\d/);
    const marks = (JSON.parse((await people('list', '--json')).out) as { name: string; old_email: boolean }[]).map(
      ({ name, old_email }) => [name, old_email],
    );
    expect(Object.fromEntries(marks)).toEqual({ Old: true, New: false });
    expect((await people('sign-in-link', '\ufb01@example.com')).out).toMatch(/signs \ufb01@example\.com in/);
    expect(await people('invite', '\ufb01@example.com', '--operator')).toMatchObject({
      code: 1,
      err: expect.stringContaining('stand for'),
    });
  });
});
