import { started } from '../src/common/testing/started.js';
import { Database } from '../src/database/database.js';
import { PersonStore } from '../src/people/person-store.js';
import { Administration } from './support/administration.js';
import { Browser } from './support/browser.js';
import { Gateway } from './support/gateway.js';
import { MailServer } from './support/mail-server.js';
import { PASSWORD, People, refusal } from './support/people.js';
import { useGateway, useServer } from './support/started.js';
import { until } from './support/until.js';

describe('A mail server', () => {
  it('is sent invitations and links of operators, and what it does not take is shown all the same', async () => {
    const mail = await new MailServer().start();
    await using gateway = await Gateway.start({
      dashboard: { public_url: 'http://pages.example.com', mail: { url: mail.url, from: 'Switchyard <gateway@example.com>' } },
    });
    const operator = await Administration.as(gateway.running, 'operator');
    const { accountId } = gateway.customer;
    await operator.patch(`accounts/${accountId}`, { name: 'Acme\r\nBcc: all@example.com' }).expect(200);
    const { body } = await operator.post(`accounts/${accountId}/invitations`, { email: 'ada@example.com', role: 'owner' }).expect(200);
    await until(async () => mail.messages.length === 1, 'the message');
    const [message] = mail.texts;
    expect(message).toMatch(/^From: Switchyard <gateway@example\.com>$/m);
    expect(message).toMatch(/^To: ada@example\.com$/m);
    expect(message).not.toMatch(/^Bcc/m);
    expect(message).toContain((body as { link: string }).link);
    expect(body).toMatchObject({ mailed: true });
    const person = await gateway.running.app.get(PersonStore).withEmail('owner@localhost');
    const link = await operator.post(`users/${person!.id}/sign-in-links`).expect(200);
    await until(async () => mail.messages.length === 2, 'the second message');
    expect(mail.texts[1]).toContain((link.body as { link: string }).link);
    await mail.stop();
    const unsent = await operator.post(`accounts/${accountId}/invitations`, { email: 'bob@example.com', role: 'owner' }).expect(200);
    expect(unsent.body).toMatchObject({ mailed: false, link: expect.stringContaining('/invitations/') as string });
    expect((await operator.post(`users/${person!.id}/sign-in-links`).expect(200)).body).toMatchObject({ mailed: false });
  });
});

describe('Invitations by mail', () => {
  it('are bounded for each account and each address, and can be made without mail beyond that', async () => {
    const mail = await new MailServer().start();
    const gateway = await Gateway.start({
      dashboard: { public_url: 'http://pages.example.com', mail: { url: mail.url, from: 'gateway@example.com' } },
    });
    try {
      const [one, other] = [gateway.customer, await gateway.newCustomer()];
      const ownerOf = ({ accountId }: { accountId: string }) => Administration.signedIn(gateway.running, 'owner', accountId);
      const [owner, stranger] = [await ownerOf(one), await ownerOf(other)];
      const invite = (email: string, body: object = {}) =>
        owner.post(`accounts/${one.accountId}/invitations`, { email, role: 'viewer', ...body });
      const byStranger = (email: string) => stranger.post(`accounts/${other.accountId}/invitations`, { email, role: 'viewer' });

      for (let nth = 0; nth < 5; nth++) expect((await invite('Victim@example.com').expect(200)).body).toMatchObject({ mailed: true });
      for (const refused of [await invite('victim@example.com'), await byStranger('victim@example.com')]) {
        expect(refused).toEqual(refusal(429, 'rate_limit_exceeded'));
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(23 * 3_600);
      }
      const { body } = await invite('victim@example.com', { mail: false }).expect(200);
      expect(body).toMatchObject({ mailed: false, link: expect.stringContaining('http://pages.example.com/dashboard/invitations/') });

      // Five were sent, and one was refused.
      for (let nth = 6; nth < 50; nth++) await invite(`someone-${nth}@example.com`).expect(200);
      const refused = await invite('one-more@example.com');
      expect(refused).toEqual(refusal(429, 'rate_limit_exceeded'));
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3_600);
      expect((await byStranger('one-more@example.com').expect(200)).body).toMatchObject({ mailed: true });
      expect(mail.messages).toHaveLength(5 + 44 + 1);
    } finally {
      await gateway.close();
      await mail.stop();
    }
  });
});

describe('A mail server without a known address of the pages', () => {
  it('is sent nothing, because links would lead where the request says', async () => {
    const mail = await new MailServer().start();
    const gateway = await Gateway.start({ dashboard: { mail: { url: mail.url, from: 'gateway@example.com' } } });
    try {
      const operator = await Administration.as(gateway.running, 'operator');
      const invite = operator.post(`accounts/${gateway.customer.accountId}/invitations`, { email: 'ada@example.com', role: 'owner' });
      const { body } = await invite.set('host', 'elsewhere.example').expect(200);
      expect(body).toMatchObject({ mailed: false, link: expect.stringContaining('/dashboard/invitations/') as string });
      expect(mail.messages).toEqual([]);
    } finally {
      await gateway.close();
      await mail.stop();
    }
  });
});

describe('Whoever has forgotten their password', () => {
  const from = 'Switchyard <gateway@example.com>';
  const mail = useServer(() => new MailServer().start());
  const gateway = useGateway(() =>
    Gateway.start({ dashboard: { mail: { url: mail.url, from }, public_url: 'http://gateway.example.com' } }),
  );
  const people = started(() => new People(gateway));
  const ask = (email: string, headers: Readonly<Record<string, string>> = {}) =>
    new Browser(gateway.url).call('post', 'session/link-requests', { email }, headers);

  it('is sent a link to the pages of the configuration, and nobody is told whether it was', async () => {
    expect((await new Browser(gateway.url).get('sign-in-options')).body).toMatchObject({ link_by_mail: true });
    const ada = await people.insert('ada@example.com', 'a hash');
    const gone = await people.insert('gone@example.com', 'a hash');
    await gateway.running.app.get(PersonStore).change(gone.id, { disabled: true });
    const elsewhere = await people.insert('elsewhere@example.com');
    const identity = { issuer: 'https://id.example.com', subject: '1', person_id: elsewhere.id, created_at: 0 };
    await gateway.running.app.get(Database).db.insertInto('oidc_identity').values(identity).execute();
    const answers = [
      await ask('nobody@example.com'),
      await ask('gone@example.com'),
      await ask('elsewhere@example.com'),
      await ask('no address'),
      await ask('Ada@example.com', { host: 'evil.example', origin: 'http://evil.example' }),
    ];
    expect(answers.map(({ status, text, headers }) => [status, text, headers['set-cookie']])).toEqual(
      Array.from(answers, () => [204, '', undefined]),
    );
    await until(async () => mail.messages.length > 0, 'the message');
    const [message = ''] = mail.texts;
    expect(message).toMatch(/^To: ada@example\.com$/m);
    const [, token = ''] = /^http:\/\/gateway\.example\.com\/dashboard\/sign-in\?link=(sy-link-\w{32})$/m.exec(message) ?? [];
    const browser = new Browser(gateway.url);
    expect((await browser.post('session/link', { token })).body).toMatchObject({ user: { email: 'ada@example.com' } });
    expect((await browser.call('put', 'session/password', { password: PASSWORD })).status).toBe(200);
    expect(mail.messages).toHaveLength(1);
    const operator = await Administration.as(gateway.running, 'operator');
    const { data } = (await operator.get('audit-log')).body as { data: { action: string }[] };
    const asked = data.filter(({ action }) => action === 'POST /admin/v1/session/link-requests');
    const nobody = { actor_kind: 'nobody', actor: null, actor_email: null, role: null, subject: ada.id, address: '127.0.0.1' };
    expect(asked).toMatchObject([nobody]);
  });

  it('keeps the link that an operator has made, whoever asks for another one', async () => {
    await people.insert('kept@example.com', 'a hash');
    const made = await people.linkFor('kept@example.com');
    const sent = mail.messages.length;
    expect((await ask('kept@example.com')).status).toBe(204);
    await until(async () => mail.messages.length === sent + 1, 'the message');
    const [, asked = ''] = /link=(sy-link-\w{32})$/m.exec(mail.texts.at(-1)!) ?? [];
    await people.signedIn(made);
    // Another one that is asked for takes the place of the one before.
    expect((await ask('kept@example.com')).status).toBe(204);
    await until(async () => mail.messages.length === sent + 2, 'the second message');
    const late = await new Browser(gateway.url).post('session/link', { token: asked });
    expect(late).toEqual(refusal(401, 'invalid_credentials'));
  });

  it('is asked to wait after three links, whoever they are', async () => {
    await people.insert('often@example.com', 'a hash');
    for (const email of ['often@example.com', 'nobody-often@example.com']) {
      const statuses = [];
      for (let nth = 0; nth < 4; nth++) statuses.push((await ask(email)).status);
      expect([email, statuses]).toEqual([email, [204, 204, 204, 429]]);
    }
  });

  it('is sent none where the configuration names no mail server, or no address of the pages', async () => {
    for (const dashboard of [{ public_url: 'http://gateway.example.com' }, { mail: { url: mail.url, from } }]) {
      await using other = await Gateway.start({ dashboard });
      const browser = new Browser(other.url);
      expect((await browser.get('sign-in-options')).body).toMatchObject({ link_by_mail: false });
      expect((await browser.post('session/link-requests', { email: 'owner@localhost' })).status).toBe(404);
    }
  });
});
