import { CreditStore } from '../src/billing/credit-store.js';
import { parseCredits } from '../src/common/prices/credits.js';
import { ManualClock } from '../src/common/testing/manual-clock.js';
import { Database } from '../src/database/database.js';
import { MemberStore } from '../src/people/member-store.js';
import { Administration } from './support/administration.js';
import type { Customer } from './support/customer.js';
import { describeGateways } from './support/describe-gateways.js';
import { Gateway } from './support/gateway.js';
import { MailServer } from './support/mail-server.js';
import { chatReply } from './support/openai-bytes.js';
import { useGateway, useServer, useUpstream } from './support/started.js';
import { until } from './support/until.js';

describeGateways('Mail on low balances', (start) => {
  const clock = ManualClock.running();

  const upstream = useUpstream();
  const mail = useServer(() => new MailServer().start());
  const gateway = useGateway(() => {
    upstream.replies(chatReply('Hello'));
    // A completion token costs a credit.
    const models = { m: { pricing: { prompt: 0, completion: '1000' }, context_length: 8000, max_tokens: 100 } };
    const settings = {
      dashboard: { public_url: 'http://pages.example.com', mail: { url: mail.url, from: 'gateway@example.com' } },
      providers: { p: { base_url: `${upstream.origin}/v1`, models } },
    };
    return start(settings, clock);
  });
  beforeEach(() => {
    mail.takes = true;
  });

  const db = () => gateway.running.app.get(Database).db;
  const alertOf = ({ accountId }: Customer) => `accounts/${accountId}/credits/alert`;
  const asPerson = (role: 'owner' | 'admin' | 'operator', { accountId }: Customer) =>
    Administration.signedIn(gateway.running, role, accountId);
  const tellBelow = (who: Administration, customer: Customer, below: string) =>
    who.call('put', alertOf(customer), { body: { low_balance_below: below } });
  const spendOne = async ({ liveKey }: Customer) => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1 };
    expect((await gateway.post('chat/completions', body, liveKey)).status).toBe(200);
  };
  const grant = (customer: Customer, credits: string) =>
    gateway.running.app.get(CreditStore).grant({ accountId: customer.accountId, environment: 'live', amount: parseCredits(credits) });
  const deliveries = ({ accountId }: Customer) =>
    db()
      .selectFrom('webhook_delivery')
      .innerJoin('webhook_endpoint', 'webhook_endpoint.id', 'webhook_delivery.endpoint_id')
      .selectAll('webhook_delivery')
      .where('webhook_endpoint.account_id', '=', accountId)
      .orderBy('webhook_delivery.created_at')
      .execute();
  const ended = async (customer: Customer, count: number) => {
    const rows = await deliveries(customer);
    return rows.length === count && rows.every(({ next_at }) => next_at === null);
  };
  /** What comes of the next look for messages. */
  const found = async (customer: Customer, condition: () => Promise<boolean>, what: string): Promise<void> => {
    await gateway.balance(customer);
    await clock.advance(1_000);
    await until(condition, what);
  };
  const sentTo = (email: string) => mail.texts.filter((text) => text.includes(`\nTo: ${email}\n`));
  /** As where a gateway dies that has begun so many attempts and has told of the end of none. */
  const hasDied = (customer: Customer, attempts: number) =>
    db()
      .updateTable('webhook_delivery')
      .set({ attempts, delivered_at: null, next_at: 0 })
      .where('endpoint_id', 'in', (from) => from.selectFrom('webhook_endpoint').select('id').where('account_id', '=', customer.accountId))
      .execute();

  it('is sent to whoever asked for it, once for each fall', async () => {
    const customer = await gateway.newCustomer('10');
    const [owner, other] = [await asPerson('owner', customer), await asPerson('admin', customer)];
    const unset = await owner.get(alertOf(customer)).expect(200);
    const { email } = unset.body as { email: string };
    expect(unset.body).toEqual({ email: expect.stringMatching(/@/), low_balance_below: null, mail_configured: true });
    expect((await tellBelow(owner, customer, '7.5').expect(200)).body).toEqual({ email, low_balance_below: '7.5', mail_configured: true });
    expect((await other.get(alertOf(customer)).expect(200)).body).toMatchObject({ low_balance_below: null });
    expect((await owner.get(`accounts/${customer.accountId}/webhooks`).expect(200)).body).toMatchObject({ data: [] });

    for (let requests = 0; requests < 5; requests++) await spendOne(customer);
    await found(customer, () => ended(customer, 1), 'the message');
    expect(await gateway.balance(customer)).toBe(parseCredits('5'));
    const [message = ''] = sentTo(email);
    expect(message).toMatch(/^Subject: Credits of Customer \d+ run low$/m);
    expect(message).toMatch(/ credits left in the live environment, .* less than 7\.5\./s);
    expect(message).toContain(`http://pages.example.com/dashboard/accounts/${customer.accountId}/credits`);

    await grant(customer, '3');
    await spendOne(customer);
    await found(customer, () => ended(customer, 2), 'the second message');
    expect(sentTo(email)).toHaveLength(2);
    expect(mail.messages).toHaveLength(2);

    await owner.call('delete', alertOf(customer)).expect(200);
    await grant(customer, '3');
    for (let requests = 0; requests < 3; requests++) await spendOne(customer);
    await gateway.balance(customer);
    expect(await deliveries(customer)).toEqual([]);
    expect((await owner.get(alertOf(customer))).body).toMatchObject({ low_balance_below: null });
  });

  it('waits for a mail server that does not take it, and for another gateway where one dies, ten times at most', async () => {
    const customer = await gateway.newCustomer('10');
    const owner = await asPerson('owner', customer);
    const { email } = (await tellBelow(owner, customer, '9.5').expect(200)).body as { email: string };
    mail.takes = false;
    await spendOne(customer);
    await found(customer, async () => (await deliveries(customer))[0]?.last_error != null, 'the first attempt');
    expect(sentTo(email)).toEqual([]);
    mail.takes = true;
    await hasDied(customer, 1);
    await found(customer, () => ended(customer, 1), 'the second attempt');
    await hasDied(customer, 9);
    await found(customer, () => ended(customer, 1), 'the tenth attempt');
    const ids = sentTo(email).map((text) => /^Message-ID: (.*)$/m.exec(text)![1]);
    expect(ids).toEqual([expect.stringMatching(/^<evt_\w+@switchyard>$/), ids[0]]);
    await hasDied(customer, 10);
    await found(customer, () => ended(customer, 1), 'the end');
    expect(sentTo(email)).toHaveLength(2);
    expect((await deliveries(customer))[0]).toMatchObject({ delivered_at: null, last_error: 'no attempt was seen to end' });
  });

  it('is not sent to whoever no longer looks after the account', async () => {
    const customer = await gateway.newCustomer('10');
    const admin = await asPerson('admin', customer);
    const { email } = (await tellBelow(admin, customer, '9.5').expect(200)).body as { email: string };
    await gateway.running.app.get(MemberStore).changeRole(customer.accountId, admin.personId, 'viewer');
    await admin.get(alertOf(customer)).expect(403);
    await spendOne(customer);
    const alerts = () => db().selectFrom('webhook_endpoint').select('id').where('person_id', '=', admin.personId).execute();
    await found(customer, async () => (await alerts()).length === 0, 'the end of the alert');
    expect(sentTo(email)).toEqual([]);
  });

  it('goes to people alone, for an amount above 0', async () => {
    const customer = await gateway.newCustomer('10');
    const token = await Administration.as(gateway.running, 'owner', customer.accountId);
    expect((await tellBelow(token, customer, '1')).status).toBe(403);
    const operator = await asPerson('operator', customer);
    for (const below of ['0', '-1', 'much', '1.0000000001']) expect((await tellBelow(operator, customer, below)).status).toBe(400);
    await tellBelow(operator, customer, '0.5').expect(200);
    await tellBelow(operator, customer, '0.7').expect(200);
    const log = await operator.get(`accounts/${customer.accountId}/audit-log`).expect(200);
    const line = { action: 'PUT /admin/v1/accounts/:account/credits/alert', fields: ['low_balance_below'] };
    expect((log.body as { data: object[] }).data).toMatchObject([line, line]);
  });
});

describe('Mail on low balances without a mail server', () => {
  it('cannot be asked for', async () => {
    await using gateway = await Gateway.start();
    const { accountId } = gateway.customer;
    const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
    expect((await owner.get(`accounts/${accountId}/credits/alert`).expect(200)).body).toMatchObject({ mail_configured: false });
    await owner.call('put', `accounts/${accountId}/credits/alert`, { body: { low_balance_below: '1' } }).expect(409);
  });
});
