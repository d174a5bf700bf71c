import type { Page } from 'playwright-core';
import { describeChromium, seriousViolations } from '../support/chromium.js';
import { DashboardWalk, OWNERS_PASSWORD } from '../support/dashboard-walk.js';
import { freePort } from '../support/free-port.js';
import { MailServer } from '../support/mail-server.js';
import { OidcIssuer } from '../support/oidc-issuer.js';
import { someOf } from '../support/long-form.js';
import { until } from '../support/until.js';

/** What the console of a page may tell. */
const REFUSED = /status of (40[134]|412)/;

describeChromium('People in the dashboard', () => {
  const password = OWNERS_PASSWORD;
  let issuer: OidcIssuer;
  let mail: MailServer;
  let walk: DashboardWalk;
  let origin: string;
  let owner: Page;
  /** The address of the account's pages. */
  let account: string;

  beforeAll(async () => {
    [issuer, mail] = await Promise.all([OidcIssuer.start(), new MailServer().start()]);
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    const { url, clientSecret: client_secret } = issuer;
    const oidc = [{ id: 'local', label: 'Company', issuer: url, client_id: 'switchyard', client_secret }];
    const dashboard = { allow_private_addresses: true, public_url: origin, oidc, mail: { url: mail.url, from: 'gateway@example.com' } };
    walk = await DashboardWalk.start({ dashboard }, { PORT: String(port) });
    issuer.serve(origin);
    owner = await walk.open(REFUSED, { permissions: ['clipboard-read', 'clipboard-write'] });
    account = await walk.signInFirst(owner);
  });
  afterAll(async () => {
    await walk.stop();
    await Promise.all([issuer.stop(), mail.stop()]);
  });
  // What a page refuses to run or to show is told on its console.
  afterEach(() => expect(walk.wrong).toEqual([]));

  /** A browser of its own, without cookies. */
  const somebody = (): Promise<Page> => walk.open(REFUSED);
  /** The link of an invitation, as it is shown. */
  async function invite(email: string, role: string, byMail = true): Promise<string> {
    await owner.goto(`${account}/members`);
    await owner.getByRole('button', { name: 'Invite' }).click();
    const dialog = owner.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill(email);
    await dialog.getByRole('radio', { name: new RegExp(`^${role}`) }).click();
    await dialog.getByLabel('Send the link by mail too').setChecked(byMail);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const link = await owner.getByTestId('made-link').innerText();
    await owner.getByRole('button', { name: 'Done' }).click();
    return link;
  }
  const act = async (who: string, action: string) => {
    await owner.getByRole('button', { name: `Actions for ${who}` }).click();
    await owner.getByRole('menuitem', { name: action }).click();
  };
  const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
  const mailed = (): string => mail.texts.at(-1)!;

  it('are mailed when a balance falls below what they choose', async () => {
    await owner.goto(`${account}/credits`);
    const section = owner.getByRole('region', { name: 'Low-balance mail' });
    const below = section.getByLabel('When less than so many credits are left');
    await below.fill('0');
    await section.getByRole('button', { name: 'Mail me' }).click();
    await section.getByText('Credits, such as 25 or 0.5').waitFor();
    await below.fill('2.50');
    await section.getByRole('button', { name: 'Mail me' }).click();
    await owner.getByText('Low balances are mailed to owner@localhost.').waitFor();
    await owner.reload();
    await section.getByText('One message for each fall goes to owner@localhost.').waitFor();
    expect(await below.inputValue()).toBe('2.5');
    expect(await seriousViolations(owner)).toEqual([]);
    await section.getByRole('button', { name: 'No more mail' }).click();
    await section.getByRole('button', { name: 'Mail me' }).waitFor();
    expect(await below.inputValue()).toBe('');
  });

  describe('who are invited', () => {
    let grace: Page;

    it('choose a name and a password, and are told of by mail too', async () => {
      const link = await invite('grace@example.com', 'Developer');
      await until(async () => mail.messages.length === 1, 'the message');
      expect(mailed()).toContain(link);
      await owner.getByRole('region', { name: 'Open invitations' }).getByText('grace@example.com').waitFor();
      grace = await somebody();
      await grace.goto(link);
      await grace.getByLabel('Your name').fill('<i>Grace</i>');
      await grace.getByLabel('Password', { exact: true }).fill(password);
      expect(await seriousViolations(grace)).toEqual([]);
      await grace.getByRole('button', { name: 'Join' }).click();
      await grace.getByRole('heading', { name: 'Overview' }).waitFor();
    });

    it('get no mail where whoever invites them hands on the link', async () => {
      expect(await invite('quiet@example.com', 'Viewer', false)).toContain('/dashboard/invitations/');
      expect(mail.messages).toHaveLength(1);
    });

    it('see as developers what developers may, and no more', async () => {
      await pages(grace).getByRole('link', { name: 'API keys' }).click();
      await grace.getByRole('button', { name: 'Create key' }).first().waitFor();
      await pages(grace).getByRole('link', { name: 'Members' }).click();
      await grace.getByText('owner@localhost').first().waitFor();
      expect(await grace.getByRole('button', { name: /^(Actions for|Invite)/ }).count()).toBe(0);
      expect(await pages(grace).getByRole('link', { name: 'Audit log' }).count()).toBe(0);
      await grace.goto(`${account}/audit`);
      await grace.getByText('There is no such page').waitFor();
      const id = account.split('/').at(-1);
      const refused = await grace.evaluate<number>(`fetch('/admin/v1/accounts/${id}/tokens').then(({ status }) => status)`);
      expect(refused).toBe(403);
    });

    it('are given a link by an operator when they cannot sign in any more', async () => {
      await owner.goto(`${account}/members`);
      await act('<i>Grace</i>', 'Make a sign-in link');
      await owner.getByRole('dialog').getByRole('button', { name: 'Make the link' }).click();
      await owner.getByRole('dialog').getByRole('button', { name: 'Copy link' }).click();
      await owner.getByRole('dialog').getByRole('button', { name: 'Copied' }).waitFor();
      expect(await seriousViolations(owner)).toEqual([]);
      const other = await somebody();
      await other.goto(await owner.evaluate<string>('navigator.clipboard.readText()'));
      await owner.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
      await other.getByRole('button', { name: 'Continue' }).click();
      await other.getByRole('button', { name: 'Save the password' }).waitFor();
      await other.context().close();
    });

    it('lose what a change of their role takes away', async () => {
      await owner.goto(`${account}/members`);
      await act('<i>Grace</i>', 'Change role');
      await owner.getByRole('radio', { name: /^Viewer/ }).click();
      expect(await seriousViolations(owner)).toEqual([]);
      await owner.getByRole('button', { name: 'Save' }).click();
      await owner.getByText('is viewer from now on').waitFor();
      await grace.goto(`${account}/keys`);
      await grace.getByLabel('Find by name or key').waitFor();
      expect(await grace.getByRole('button', { name: /^(Create key|Actions for)/ }).count()).toBe(0);
    });

    it('are not changed by whoever has not seen what somebody else did meanwhile', async () => {
      await act('<i>Grace</i>', 'Change role');
      await owner.getByRole('radio', { name: /^Admin/ }).click();
      const operator = await walk.operator();
      const members = `accounts/${account.split('/').at(-1)}/members`;
      const { body } = await operator.get(members).expect(200);
      const { user_id } = (body as { data: { email: string; user_id: string }[] }).data.find(({ email }) => email === 'grace@example.com')!;
      await operator.patch(`${members}/${user_id}`, { role: 'developer' }).expect(200);
      await owner.getByRole('button', { name: 'Save' }).click();
      await owner.getByRole('dialog').getByRole('alert').waitFor();
      await owner.getByRole('button', { name: 'Cancel' }).click();
      await owner.getByRole('row', { name: 'grace@example.com' }).getByText('Developer').waitFor();
    });

    it('are signed out at once when they are removed', async () => {
      await act('<i>Grace</i>', 'Remove');
      await owner.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await owner.getByText('is removed.').waitFor();
      await pages(grace).getByRole('link', { name: 'Requests' }).click();
      await grace.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
      await grace.context().close();
    });

    it('are not, once the invitation is withdrawn', async () => {
      const link = await invite('late@example.com', 'Viewer');
      await owner.getByRole('button', { name: 'Withdraw the invitation of late@example.com' }).click();
      await owner.getByText('is withdrawn.').waitFor();
      const late = await somebody();
      await late.goto(link);
      await late.getByRole('heading', { name: 'This invitation cannot be used' }).waitFor();
      await late.context().close();
    });
  });

  it('stay owners while there is no other, and see dialogs move only where they do not mind', async () => {
    await owner.goto(`${account}/members`);
    await owner.evaluate(`
      globalThis.moves = new Set();
      new MutationObserver(() => {
        for (const { style } of document.querySelectorAll('[role=dialog]')) if (style.transform) moves.add(style.transform);
      }).observe(document.body, { attributes: true, childList: true, subtree: true });
    `);
    await act('Owner', 'Leave');
    await owner.getByText('is the only owner, and an account always has one').waitFor();
    expect(await owner.getByRole('dialog').getByRole('button', { name: 'Leave' }).count()).toBe(0);
    await owner.getByRole('dialog').getByText('Close', { exact: true }).click();
    expect(await owner.evaluate('[...moves]')).toEqual([]);
  });

  it('make a token for a program, which is shown once, and revoke it', async () => {
    await owner.goto(`${account}/members/tokens`);
    await owner.getByRole('button', { name: 'Create token' }).first().click();
    await owner.getByRole('dialog').getByLabel('Name').fill('Pipeline');
    expect(await seriousViolations(owner)).toEqual([]);
    await owner.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
    const token = await owner.getByTestId('made-token').innerText();
    expect(token).toMatch(/^sy-admin-\w{32}$/);
    const status = async () => (await fetch(`${origin}/admin/v1/me`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status()).toBe(200);
    await owner.getByRole('button', { name: 'I have saved it' }).click();
    await owner.getByRole('button', { name: 'Revoke Pipeline' }).click();
    await owner.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await owner.getByText('Pipeline is revoked.').waitFor();
    expect(await status()).toBe(401);
    expect(await owner.content()).not.toContain(token);
  });

  it('are asked to sign in above what they were typing when their session ends, and lose nothing', async () => {
    await owner.goto(`${account}/keys`);
    await owner.getByRole('button', { name: 'Create key' }).first().click();
    const form = owner.getByRole('dialog', { name: 'Create an API key' });
    await form.getByLabel('Name').fill('Typed before');
    const other = await somebody();
    await other.goto(`${origin}/dashboard/you`);
    await other.getByLabel('E-mail').fill('owner@localhost');
    await other.getByLabel('Password', { exact: true }).fill(password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'Your account' }).waitFor();
    await other.getByRole('button', { name: /^Sign out of Chrome/ }).click();
    await other.getByText('You are signed out of').waitFor();
    await form.getByRole('button', { name: 'Create key' }).click();
    const ended = owner.getByRole('dialog', { name: 'Your session has ended' });
    await ended.getByLabel('E-mail').fill('owner@localhost');
    await ended.getByLabel('Password', { exact: true }).fill(password);
    await ended.getByRole('button', { name: 'Sign in' }).click();
    await ended.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Name').inputValue()).toBe('Typed before');
    await form.getByRole('button', { name: 'Create key' }).click();
    await owner.getByTestId('made-key').waitFor();
    await owner.getByRole('button', { name: 'I have saved it' }).click();
    await other.context().close();
  });

  it('change their name and their password', async () => {
    await owner.goto(`${origin}/dashboard/you`);
    await owner.getByRole('textbox', { name: 'Name' }).fill('Ada');
    await owner.getByRole('button', { name: 'Save the name' }).click();
    await owner.getByRole('button', { name: /^Ada/ }).waitFor();
    const change = async (current: string, next: string) => {
      await owner.getByLabel('Current password').fill(current);
      await owner.getByLabel('New password').fill(next);
      await owner.getByRole('button', { name: 'Change the password' }).click();
    };
    await change('not the password', 'other words to remember');
    await owner.getByRole('alert').getByText('The current password is wrong.').waitFor();
    await change(password, 'other words to remember');
    await owner.getByText('Your password is changed.').waitFor();
    expect(await owner.getByLabel('Current password').inputValue()).toBe('');
  });

  it('change things and see pages also where their browser says that there is no internet', async () => {
    await owner.goto(`${origin}/dashboard/you`);
    await owner.evaluate("dispatchEvent(new Event('offline'))");
    await owner.getByRole('textbox', { name: 'Name' }).fill('Ada O.');
    await owner.getByRole('button', { name: 'Save the name' }).click();
    await owner.getByText('Your name is changed.').waitFor();
    await pages(owner).getByRole('link', { name: 'Requests' }).click();
    await owner.getByText('No requests yet').first().waitFor();
  });

  it('who have forgotten their password are sent a link, with which they choose another', async () => {
    const page = await somebody();
    await page.goto(`${origin}/dashboard/sign-in`);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    for (const email of ['nobody@example.com', 'owner@localhost']) {
      await page.goto(`${origin}/dashboard/sign-in?forgot`);
      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
    }
    await until(async () => mailed().includes('?link='), 'the message');
    expect(mailed()).toMatch(/^To: owner@localhost$/m);
    await page.goto(/http:\S+\?link=\S+/.exec(mailed())![0]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Save the password' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // A new password has signed out everywhere else.
    owner = page;
  });

  describe('who sign in by OpenID Connect', () => {
    const sentences = {
      access_denied: 'The sign-in was cancelled',
      not_verified: 'Your e-mail address is not verified there',
      not_invited: 'Nobody has invited this e-mail address',
      expired: 'took too long, or was begun in another browser',
      failed: 'The sign-in did not work',
    };
    const callback = '/admin/v1/session/oidc/local/callback';

    it('come in where they are invited, and come back to where they were', async () => {
      await invite('ada@example.com', 'Viewer');
      issuer.accounts.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada L.' });
      const ada = await somebody();
      for (const [address, heading] of [
        [`${origin}/dashboard`, 'Overview'],
        [`${account}/requests?status=200&environment=live`, 'Requests'],
      ] as const) {
        await ada.context().clearCookies();
        await ada.goto(address);
        await ada.getByRole('link', { name: 'Continue with Company' }).click();
        await ada.getByRole('link', { name: 'ada', exact: true }).click();
        await ada.getByRole('heading', { level: 1, name: heading }).waitFor();
        if (heading === 'Requests') expect(ada.url()).toBe(address);
      }
      expect(await ada.getByRole('button', { name: /^Ada L\./ }).count()).toBe(1);
      await ada.context().close();
    });

    it.each(Object.entries(sentences))('are told why not: %s', async (code, sentence) => {
      issuer.accounts.set('not_verified', { email: 'ada@example.com', email_verified: false });
      issuer.accounts.set('not_invited', { email: 'mallory@example.com', email_verified: true });
      const page = await somebody();
      if (code === 'expired') await page.goto(`${origin}${callback}?code=x&state=x`);
      else {
        await page.goto(`${origin}/dashboard/sign-in`);
        await page.getByRole('link', { name: 'Continue with Company' }).click();
        if (code === 'failed') await page.goto(`${origin}${callback}?code=x&state=x`);
        else await page.getByRole('link', { name: code === 'access_denied' ? 'Cancel' : code }).click();
      }
      await page.getByRole('alert').getByText(sentence).waitFor();
      expect(new URL(page.url()).searchParams.get('error')).toBe(code);
      expect(await seriousViolations(page)).toEqual([]);
      await page.context().close();
    });
  });

  it('leave a line for each change', async () => {
    await owner.goto(`${account}/audit`);
    await owner.getByText('Removed a member').first().waitFor();
    await owner.getByText('Revoked a token').first().waitFor();
    await owner.getByText('owner@localhost').first().waitFor();
  });

  it.each(someOf(['members', 'members/tokens', 'audit', '../../you'], 2))(
    'are shown to everybody at %s, wide and narrow, light and dark',
    (name) => walk.looksWell(owner, new URL(`${account}/${name}`).href),
  );
});
