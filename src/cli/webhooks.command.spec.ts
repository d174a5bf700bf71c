import { Webhook } from 'standardwebhooks';
import { LedgerBench } from '../billing/testing/ledger-bench.js';
import { startedEach } from '../common/testing/started.js';
import { WebhookReceiver } from '../webhooks/testing/webhook-receiver.js';
import { runCommand } from './testing/run-command.js';

describe('switchyard webhooks', () => {
  const gateway = startedEach(() => LedgerBench.start(), 'stop');
  const receiver = startedEach(() => WebhookReceiver.start(), 'stop');
  let configFile: string;
  const settings = (webhooks: object) => void (configFile = gateway.configFile({ webhooks }));
  beforeEach(() => settings({ allow_http: true, allow_private_addresses: true }));

  const switchyard = (...args: string[]) => runCommand('webhooks', ...args, '--config', configFile);

  it('makes a webhook, shows its secret once, tries it, lists it and removes it', async () => {
    const { accountId } = await gateway.customer(1n);
    const made = await switchyard(
      'create',
      receiver.url,
      '-a',
      accountId,
      '-e',
      'key.revoked,balance.low',
      '--low-balance-below',
      '2.5',
      '--json',
    );
    expect(made).toMatchObject({ code: 0, err: '' });
    const { id, secret, ...shown } = JSON.parse(made.out) as { id: string; secret: string };
    expect(shown).toMatchObject({
      account_id: accountId,
      events: ['key.revoked', 'balance.low'],
      low_balance_below: '2.5',
      status: 'active',
    });

    receiver.answers = () => ({ status: 202 });
    expect(await switchyard('test', id)).toEqual({ code: 0, err: '', out: 'Status 202\n' });
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[number]];
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'webhook.ping',
      data: { endpoint_id: id },
    });

    const listed = await switchyard('list', '--json');
    expect(JSON.parse(listed.out)).toEqual([{ id, ...shown }]);
    expect(listed.out).not.toContain(secret);
    expect((await switchyard('list')).out).toContain(receiver.url);
    expect(await switchyard('remove', id)).toMatchObject({ code: 0, out: `Removed ${id}.\n` });
    expect(await switchyard('remove', id)).toMatchObject({ code: 1, err: expect.stringContaining('there is no webhook') });
  });

  it('changes a webhook, and writes nothing where nothing is different', async () => {
    const { out } = await switchyard('create', receiver.url, '-e', 'balance.low', '--low-balance-below', '2', '--json');
    const { id } = JSON.parse(out) as { id: string };
    const change = async (...args: string[]) => JSON.parse((await switchyard('change', id, ...args, '--json')).out) as object;
    expect(await change('-e', 'key.revoked', '-d', 'our chat')).toMatchObject({
      url: receiver.url,
      events: ['key.revoked'],
      low_balance_below: null,
      description: 'our chat',
      status: 'active',
    });
    expect(await change('--disable')).toMatchObject({ status: 'disabled' });
    expect(await change('--disable', '-e', 'key.revoked', '-d', 'our chat', '-u', receiver.url)).toMatchObject({ status: 'disabled' });
    expect(await change('--enable')).toMatchObject({ status: 'active', disabled_at: null });
    expect(await switchyard('change', id, '--enable', '--disable')).toMatchObject({ code: 2 });
    expect(await switchyard('change', id, '-u', 'http://169.254.169.254/')).toMatchObject({
      code: 1,
      err: expect.stringContaining('private'),
    });
    expect(await switchyard('change', 'none', '--enable')).toMatchObject({ code: 1, err: expect.stringContaining('no webhook') });
    const lines = await gateway.database.db.selectFrom('audit').select(['action', 'fields']).orderBy('id').execute();
    expect(lines.map(({ action, fields }) => [action, fields])).toEqual([
      ['webhooks create', '["url","events","low_balance_below"]'],
      ['webhooks change', '["events","description","low_balance_below"]'],
      ['webhooks change', '["enabled"]'],
      ['webhooks change', '["enabled"]'],
    ]);
  });

  it('makes a new secret, beside which the one of before signs', async () => {
    const made = JSON.parse((await switchyard('create', receiver.url, '-e', 'key.revoked', '--json')).out) as {
      id: string;
      secret: string;
    };
    const { out } = await switchyard('rotate', made.id, '--grace', '1h');
    const [secret] = /whsec_\S+/.exec(out)!;
    await switchyard('test', made.id);
    const { body, headers } = receiver.received[0]!;
    for (const one of [made.secret, secret])
      expect(new Webhook(one).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'webhook.ping' });
    expect(await switchyard('rotate', made.id, '--grace', '0s')).toMatchObject({ code: 0, out: expect.stringContaining('ends now') });
    for (const long of ['3650d', '8d', '169h'])
      expect(await switchyard('rotate', made.id, '--grace', long)).toMatchObject({
        code: 2,
        err: expect.stringContaining('Give at most 7d.'),
      });
    expect(await switchyard('rotate', made.id, '--grace', '7d')).toMatchObject({ code: 0 });
    expect(await switchyard('rotate', 'none')).toMatchObject({ code: 1, err: expect.stringContaining('no webhook') });
  });

  it('shows nothing of an answer that would move the cursor', async () => {
    const { out } = await switchyard('create', receiver.url, '-e', 'key.revoked', '--json');
    const { id } = JSON.parse(out) as { id: string };
    receiver.answers = () => ({ status: 500, text: 'first\r\nsecond \u001b[2J\u202e\n' });
    expect(await switchyard('test', id)).toEqual({ code: 0, err: '', out: 'Status 500\n\nfirst\nsecond \\u001b[2J\\u202e\n\n' });
  });

  it('says why a webhook cannot be made, or does not answer', async () => {
    expect(await switchyard('create', receiver.url, '-e', 'nothing')).toMatchObject({ code: 2, err: expect.stringContaining('no event') });
    const { out } = await switchyard('create', receiver.url, '-e', 'provider.down', '--json');
    const { id } = JSON.parse(out) as { id: string };
    settings({ allow_http: true });
    expect(await switchyard('test', id)).toMatchObject({ code: 1, err: expect.stringContaining('must not be private') });
    expect(await switchyard('create', receiver.url, '-e', 'provider.down')).toMatchObject({
      code: 1,
      err: expect.stringContaining('must not be private'),
    });
    expect(receiver.received).toEqual([]);
  });
});
