import { audited } from '../src/observability/audit/audit-log.js';
import { InvitationStore } from '../src/people/invitations/invitation-store.js';
import { PersonStore } from '../src/people/person-store.js';
import { Administration } from './support/administration.js';
import { Browser, type SessionBody } from './support/browser.js';
import { Gateway } from './support/gateway.js';
import { PASSWORD, People, refusal } from './support/people.js';
import { useGateway } from './support/started.js';

describe('People who are invited', () => {
  const gateway = useGateway(() => Gateway.start());
  const people = new People(gateway);

  const app = () => gateway.running.app;

  const invite = async (by: Administration, path: string, body: object) => {
    const { status, body: made } = await by.post(path, body);
    return { status, made: made as { id: string; link: string; email: string } };
  };
  const tokenOf = ({ link }: { link: string }) => /\/dashboard\/invitations\/([\w-]+)$/.exec(link)![1]!;

  it('become members by a link that works once, and choose a name and a password', async () => {
    const { accountId } = gateway.customer;
    const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
    const { made } = await invite(owner, `accounts/${accountId}/invitations`, { email: 'Grace@Example.com', role: 'developer' });
    expect(made).toMatchObject({ email: 'grace@example.com', role: 'developer', account_id: accountId, mailed: false });
    expect(made.link).toMatch(new RegExp(`^${gateway.url}/dashboard/invitations/sy-invitation-\\w{32}$`));
    const token = tokenOf(made);
    const listed = await owner.get(`accounts/${accountId}/invitations`);
    expect([listed.body, listed.text.includes(token)]).toMatchObject([{ data: [{ id: made.id }] }, false]);
    expect(await people.stored('invitation')).not.toContain(token);

    const browser = new Browser(gateway.url);
    expect((await browser.get(`invitations/${token}`)).body).toMatchObject({
      email: 'grace@example.com',
      role: 'developer',
      known: false,
    });
    const accept = (body: object, as = browser) => as.post(`invitations/${token}/accept`, body);
    expect(await accept({ name: 'Grace', password: 'short' })).toEqual(refusal(400, 'invalid_request'));
    const accepted = await accept({ name: 'Grace', password: PASSWORD });
    expect([accepted.status, accepted.body]).toMatchObject([
      200,
      { user: { email: 'grace@example.com', operator: false }, memberships: [{ account_id: accountId, role: 'developer' }] },
    ]);
    expect((await browser.get(`accounts/${accountId}`)).status).toBe(200);
    expect((await browser.post(`accounts/${accountId}/projects`, { name: 'No' })).status).toBe(403);
    expect(await browser.get(`accounts/${gateway.running.accountId}`)).toEqual(refusal(404, 'not_found'));
    expect(await accept({ name: 'Grace', password: PASSWORD }, new Browser(gateway.url))).toEqual(refusal(404, 'not_found'));
    expect((await new Browser(gateway.url).get(`invitations/${token}`)).status).toBe(404);
    expect((await invite(owner, `accounts/${accountId}/invitations`, { email: 'grace@example.com', role: 'owner' })).status).toBe(409);
    // What was done to an invitation is still known by its address, and it cannot be withdrawn any more.
    expect(await owner.delete(`accounts/${accountId}/invitations/${made.id}`)).toEqual(refusal(404, 'not_found'));
    expect((await owner.get(`accounts/${accountId}/invitations`)).body).toMatchObject({ data: [] });
    const { body: log } = await owner.get(`accounts/${accountId}/audit-log`);
    expect((log as { data: object[] }).data).toContainEqual(
      expect.objectContaining({ subject: made.id, subject_name: 'grace@example.com' }),
    );
    // Those of the command line, too.
    const line = audited({ actor: 'root', actorKind: 'cli', action: 'people invite' }, { fields: ['email'] });
    const invitations = app().get(InvitationStore);
    const { invitation } = await invitations.create({ email: 'by-command@example.com', role: 'operator' }, line);
    const operator = await Administration.as(gateway.running, 'operator');
    const { body: all } = await operator.get('audit-log?limit=200');
    expect((all as { data: object[] }).data).toContainEqual(
      expect.objectContaining({ subject: invitation.id, subject_name: 'by-command@example.com' }),
    );
    await invitations.revoke(undefined, invitation.id);
  });

  it('who sign in already prove who they are: the link alone lets nobody in as them', async () => {
    const { accountId } = gateway.customer;
    const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
    const known = await people.somebody('known@example.com');
    await known.call('put', 'session/password', { password: PASSWORD });
    const { made } = await invite(owner, `accounts/${accountId}/invitations`, { email: 'known@example.com', role: 'viewer' });
    const path = `invitations/${tokenOf(made)}/accept`;
    const thief = new Browser(gateway.url);
    expect(await thief.post(path, { name: 'Thief', password: 'thief thief thief' })).toEqual(refusal(401, 'invalid_credentials'));
    expect(await thief.post(path, {})).toEqual(refusal(401, 'invalid_credentials'));
    expect(thief.cookies).toBe('');
    const other = await people.somebody('other-known@example.com');
    expect(await other.post(path, {})).toEqual(refusal(401, 'invalid_credentials'));
    expect(await known.call('post', path, {}, { 'x-csrf-token': '' })).toEqual(refusal(403, 'permission_denied'));
    expect((await known.post(path, {})).body).toMatchObject({ user: { name: 'Somebody' }, memberships: [{ role: 'viewer' }] });
  });

  it('who sign in by a link leave behind whoever has had their address before', async () => {
    const { accountId } = gateway.customer;
    const owner = await Administration.signedIn(gateway.running, 'owner', accountId);
    const first = (await invite(owner, `accounts/${accountId}/invitations`, { email: 'chief@example.com', role: 'viewer' })).made;
    const squatter = new Browser(gateway.url);
    await squatter.post(`invitations/${tokenOf(first)}/accept`, { name: 'Squatter', password: PASSWORD });
    const { user } = (await squatter.get('session')).body as SessionBody;
    const operator = await Administration.as(gateway.running, 'operator');
    const promoted = async (browser: Browser) => {
      const { made } = await invite(operator, 'operators/invitations', { email: 'chief@example.com' });
      return browser.post(`invitations/${tokenOf(made)}/accept`, {});
    };
    const chief = await people.signedIn(await people.linkFor('chief@example.com'));
    expect((await promoted(chief)).body).toMatchObject({ user: { operator: true, has_password: false } });
    expect((await chief.get('users')).status).toBe(200);
    expect(await squatter.get('users')).toEqual(refusal(401, 'invalid_session'));
    const again = new Browser(gateway.url);
    expect(await again.post('session', { email: 'chief@example.com', password: PASSWORD })).toEqual(refusal(401, 'invalid_credentials'));

    // A password that was set since stays.
    const sure = await people.signedIn(await people.linkFor('chief@example.com'));
    await sure.call('put', 'session/password', { password: 'another one of them' });
    await operator.delete(`operators/${user.id}`).expect(200);
    expect((await promoted(sure)).body).toMatchObject({ user: { operator: true, has_password: true } });
    await operator.delete(`operators/${user.id}`).expect(200);
  });

  it('may be made operators, and be none any more; the last operator stays', async () => {
    const operator = await Administration.as(gateway.running, 'operator');
    const { made } = await invite(operator, 'operators/invitations', { email: 'op@example.com' });
    const browser = new Browser(gateway.url);
    const { body } = await browser.post(`invitations/${tokenOf(made)}/accept`, { name: 'Op', password: PASSWORD });
    const { id } = (body as SessionBody).user;
    expect((await browser.get('users')).status).toBe(200);
    const listed = (await operator.get('operators').expect(200)).body as { data: { id: string }[] };
    expect(listed.data.map((one) => one.id)).toContain(id);
    for (const one of listed.data.filter((person) => person.id !== id)) await operator.delete(`operators/${one.id}`).expect(200);
    expect((await operator.delete(`operators/${id}`)).status).toBe(400);
    expect((await operator.patch(`users/${id}`, { disabled: true })).status).toBe(400);
    const owner = await app().get(PersonStore).withEmail('owner@localhost');
    await app().get(PersonStore).change(owner!.id, { operator: true });
    await operator.delete(`operators/${id}`).expect(200);
    expect(await browser.get('users')).toEqual(refusal(403, 'permission_denied'));
  });

  it('have a line of the audit log for each change of their rights, with those before and after', async () => {
    const operator = await Administration.as(gateway.running, 'operator');
    const { accountId } = await gateway.newCustomer();
    const rightsOf = async (subject: string) => {
      const { body } = await operator.get('audit-log?limit=200').expect(200);
      const lines = (body as { data: { subject: string; account_id: string | null; rights: { before: string; after: string } | null }[] })
        .data;
      return lines
        .filter((line) => line.subject === subject)
        .flatMap(({ rights, account_id }) => (rights === null ? [] : [`${rights.before} ${rights.after} ${account_id}`]));
    };
    // Lines of one millisecond come in any order.
    const expectRights = async (subject: string, expected: string[]) => expect((await rightsOf(subject)).sort()).toEqual(expected.sort());
    const { made } = await invite(operator, `accounts/${accountId}/invitations`, { email: 'rights@example.com', role: 'admin' });
    const browser = new Browser(gateway.url);
    const { body } = await browser.post(`invitations/${tokenOf(made)}/accept`, { name: 'Rights', password: PASSWORD });
    const { id } = (body as SessionBody).user;
    await invite(operator, `accounts/${accountId}/invitations`, { email: 'other@example.com', role: 'owner' });
    await operator.patch(`accounts/${accountId}/members/${id}`, { role: 'viewer' }).expect(200);
    const { made: more } = await invite(operator, 'operators/invitations', { email: 'rights@example.com' });
    expect((await browser.post(`invitations/${tokenOf(more)}/accept`)).status).toBe(200);
    await operator.delete(`operators/${id}`).expect(200);
    await operator.delete(`accounts/${accountId}/members/${id}`).expect(200);
    await operator.patch(`users/${id}`, { disabled: true }).expect(200);
    await operator.patch(`users/${id}`, { disabled: false, name: 'Again' }).expect(200);
    await operator.patch(`users/${id}`, { name: 'No right' }).expect(200);
    await expectRights(id, [
      `none admin ${accountId}`,
      `admin viewer ${accountId}`,
      'none operator null',
      'operator none null',
      `viewer none ${accountId}`,
      'enabled disabled null',
      'disabled enabled null',
    ]);
    const { body: token } = await operator.post(`accounts/${accountId}/tokens`, { id: 'tok_rights', role: 'developer' }).expect(200);
    await operator.delete(`accounts/${accountId}/tokens/${(token as { id: string }).id}`).expect(200);
    await expectRights('tok_rights', [`none developer ${accountId}`, `developer none ${accountId}`]);
    const first = await app().get(PersonStore).withEmail('owner@localhost');
    expect(await rightsOf(first!.id)).toEqual(expect.arrayContaining(['none operator null', `none owner ${gateway.running.accountId}`]));
  });

  it('are not, once the invitation is withdrawn or replaced', async () => {
    const operator = await Administration.as(gateway.running, 'operator');
    const first = (await invite(operator, 'operators/invitations', { email: 'late@example.com' })).made;
    const second = (await invite(operator, 'operators/invitations', { email: 'late@example.com' })).made;
    await operator.delete(`operators/invitations/${second.id}`).expect(200);
    for (const made of [first, second])
      expect(await new Browser(gateway.url).post(`invitations/${tokenOf(made)}/accept`, { name: 'Late', password: PASSWORD })).toEqual(
        refusal(404, 'not_found'),
      );
    await operator.delete(`operators/invitations/${first.id}`).expect(404);
  });

  it('are invited once by an id of the client’s choice, however often it is sent', async () => {
    const { accountId } = gateway.customer;
    const owner = await Administration.as(gateway.running, 'owner', accountId);
    const operator = await Administration.as(gateway.running, 'operator');
    for (const [by, path, role] of [
      [owner, `accounts/${accountId}/invitations`, { role: 'viewer' }],
      [operator, 'operators/invitations', {}],
    ] as const) {
      const body = { id: `once-${by.tokenId}`, email: 'once@example.com', ...role };
      const together = await Promise.all([invite(by, path, body), invite(by, path, body)]);
      const [made, repeated] = together
        .map((one) => one.made)
        .sort((one, other) => Number(one.link === null) - Number(other.link === null));
      expect(made).toMatchObject({ id: body.id, email: 'once@example.com', link: expect.stringContaining('/invitations/') });
      expect(repeated).toEqual({ ...made, link: null });
      expect((await by.get(path)).body).toMatchObject({ data: [{ id: body.id }] });
      expect((await by.post(path, { ...body, email: 'other@example.com' })).body).toMatchObject({
        error: { code: 'idempotency_conflict' },
      });
      await new Browser(gateway.url).get(`invitations/${tokenOf(made!)}`);
      await by.delete(`${path}/${body.id}`).expect(200);
      await by.post(path, body).expect(404);
    }
    const { made } = await invite(owner, `accounts/${accountId}/invitations`, { email: 'taken@example.com', role: 'viewer' });
    const taken = { id: made.id, email: 'second@example.com', role: 'viewer' };
    expect((await owner.post(`accounts/${accountId}/invitations`, taken)).body).toMatchObject({ error: { code: 'conflict' } });
  });
});
