import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { roles } from '../../src/auth/administration/administrator.js';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import type { Administration } from '../support/administration.js';
import { describeChromium, seriousViolations } from '../support/chromium.js';
import { DashboardWalk, TURNING } from '../support/dashboard-walk.js';
import { longForm, someOf } from '../support/long-form.js';
import { inOpenAiForm } from '../support/openai-bytes.js';
import { until } from '../support/until.js';

const SECRET = 'sk-of-the-form-9f8e7d6c5b4a39281706';
const SECRET_OF_FILE = 'sk-of-the-file-0a1b2c3d4e5f60718293';

/** What runs as a script where it is taken for markup. */
const MARKUP = '<img src=x onerror=alert(1)>';
/** What turns the text around it where it is not kept apart. */
const TURNED = '\u202e\u2066turned \u2069\u202eround';
const RIGHT_TO_LEFT = 'שלום 2';
const LONG = 'W'.repeat(200);
const MESSAGE = `${MARKUP} ${TURNED} back at 18:00 ${'M'.repeat(256)}`;

const terms = { pricing: { prompt: 0.001, completion: 0.002 }, context_length: 10_000, max_tokens: 100 };

const operated = ['organisations', 'providers', 'offers', 'models', 'routing', 'errors', 'gateways', 'configuration', 'audit'];

describeChromium('The pages of operators', () => {
  let upstream: LoopbackUpstream;
  let walk: DashboardWalk;
  let operator: Administration;
  let page: Page;
  /** Of the organisation that is made. */
  let id: string;
  let key: string;
  /** The address of the pages of the first account. */
  let account: string;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    walk = await DashboardWalk.start({
      stored_providers: { allow_private_addresses: true },
      providers: { 'of-the-file': { base_url: `${upstream.origin}/v1`, api_key: SECRET_OF_FILE, models: { filed: terms } } },
    });
    page = await walk.open(/status of (401|412)/);
    account = await walk.signInFirst(page);
    operator = await walk.operator();
  });
  afterAll(async () => {
    await walk.stop();
    await upstream.stop();
  });
  beforeEach(() => upstream.replies(({ body }) => inOpenAiForm(body.includes('"stream":true'))));
  afterEach(() => expect(walk.wrong).toEqual([]));

  const visit = (name: string) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  const dialog = () => page.getByRole('dialog').last();
  const act = async (what: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${what}`, exact: true }).click();
    await page.getByRole('menuitem', { name: action, exact: true }).click();
  };
  const ask = (model: string) =>
    new OpenAI({ baseURL: walk.url, apiKey: key, maxRetries: 0 }).chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Say hello.' }],
    });

  it('makes an organisation, and grants it credits with a reason', async () => {
    for (const name of [TURNED, LONG]) await operator.post('accounts', { name }).expect(200);
    await visit('Organisations');
    await page.getByRole('button', { name: 'New organisation' }).click();
    await dialog().getByLabel('Name').fill(MARKUP);
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog().getByRole('heading', { name: MARKUP }).waitFor();
    id = new URL(page.url()).searchParams.get('organisation')!;
    await dialog().getByRole('button', { name: 'Grant credits' }).click();
    await dialog().getByLabel('Credits', { exact: true }).fill('25.5');
    await dialog().getByLabel('Reason').fill(MESSAGE);
    await dialog().getByRole('button', { name: 'Grant', exact: true }).click();
    const given = page.getByRole('region', { name: 'Credits given' });
    await given.getByText('25.50').waitFor();
    expect(await given.innerText()).toContain(MARKUP);
    expect(await seriousViolations(page)).toEqual([]);
    expect((await operator.get(`accounts/${id}/credits`)).text).toContain('25.5');
    await page.keyboard.press('Escape');
    await page.getByLabel('Find by name or id').fill('onerror');
    await page.getByRole('button', { name: /^Actions for.*round/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: MARKUP, exact: true }).waitFor();
    ({ key } = (await operator.post(`accounts/${id}/keys`, { environment: 'live' }).expect(200)).body as { key: string });
  });

  it('suspends an organisation, resumes it and closes it', async () => {
    const { id: other } = (await operator.post('accounts', { name: 'Leaving' }).expect(200)).body as { id: string };
    await page.goto(`${walk.origin}/dashboard/operate/organisations?organisation=${other}`);
    const drawer = page.getByRole('dialog', { name: 'Organisation', exact: true });
    for (const [step, status] of [
      ['Suspend', 'suspended'],
      ['Resume', 'active'],
      ['Delete', 'closed'],
    ] as const) {
      await drawer.getByRole('button', { name: step, exact: true }).click();
      const asked = page.getByRole('dialog', { name: `${step} the organisation` });
      expect(await seriousViolations(page)).toEqual([]);
      await asked.getByRole('button', { name: step, exact: true }).click();
      await page.getByText(`It is ${status}.`).waitFor();
      expect((await operator.get(`accounts/${other}`)).body).toMatchObject({ status });
    }
    await drawer.getByText('Closed', { exact: true }).waitFor();
    await drawer.getByRole('button', { name: 'Suspend' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  it('adds a provider once it was tested, of which no page shows the key', async () => {
    await visit('Providers');
    await page.getByRole('button', { name: 'Add provider' }).first().click();
    await dialog().getByLabel('Id').fill('by-hand');
    await dialog().getByLabel('Address').fill(`${upstream.origin}/v1`);
    await dialog().getByLabel('API key').fill(SECRET);
    await dialog().getByText('Only these').click();
    for (const [index, name] of ['added', MARKUP].entries()) {
      const row = dialog().getByRole('group', { name: `Model ${index + 1}` });
      await row.getByLabel('Name').fill(name);
      await row.getByLabel('Prompt').fill('1');
      await row.getByLabel('Answer').fill('2.5');
      await row.getByLabel('Context').fill('10000');
      if (index === 0) await dialog().getByRole('button', { name: 'Add a model' }).click();
    }
    const others = dialog().getByLabel('Further settings');
    await others.fill('{"timeouts": {}');
    await dialog().getByRole('button', { name: 'Test', exact: true }).click();
    await others.and(page.locator(':focus')).waitFor();
    await dialog()
      .getByText(/^This is no JSON: .*line 1 column 16/)
      .waitFor();
    await others.fill(JSON.stringify({ timeouts: { connect: 5_000 } }));
    upstream.replies({ status: 401, body: JSON.stringify({ error: { message: `${MESSAGE} ${SECRET}` } }) });
    await dialog().getByRole('button', { name: 'Test', exact: true }).click();
    await dialog().getByText('It did not accept the API key').waitFor();
    expect(await dialog().innerText()).toContain(MARKUP);
    expect(await dialog().innerText()).not.toContain(SECRET);
    await dialog().getByRole('button', { name: 'Add it all the same' }).waitFor();
    upstream.replies(({ body }) => inOpenAiForm(body.includes('"stream":true')));
    await dialog().getByRole('button', { name: 'Test again' }).click();
    await dialog().getByText('It answered in').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Add provider' }).click();
    await page.getByRole('row', { name: /by-hand.*In service/ }).waitFor();
    const model = { pricing: { prompt: '0.001', completion: '0.0025' }, context_length: 10_000 };
    expect((await operator.get('providers/by-hand')).body).toMatchObject({
      settings: { api_key: '[redacted]', models: { added: model, [MARKUP]: model }, timeouts: { connect: 5_000 } },
    });

    await act('by-hand', 'See its offers');
    await page.getByRole('row', { name: /^added by-hand In service/ }).waitFor();
    await until(async () => (await ask('added').catch(() => undefined)) !== undefined, 'the new model', 5_000);
  });

  it('has the buttons of a long form in sight on a phone', async () => {
    const phone = await walk.beside(page, { viewport: { width: 390, height: 844 } });
    await phone.goto(`${walk.origin}/dashboard/operate/providers`);
    await phone.getByRole('button', { name: 'Add provider' }).first().click();
    await phone.getByLabel('Id', { exact: true }).fill('on-a-phone');
    for (const name of ['Cancel', 'Test']) {
      const { y, height } = (await phone.getByRole('dialog').getByRole('button', { name, exact: true }).boundingBox())!;
      expect([name, y + height <= 844]).toEqual([name, true]);
    }
    await phone.context().close();
  });

  it('changes a provider without its key, and says when somebody else was faster', async () => {
    await visit('Providers');
    await act('by-hand', 'Change');
    await operator.patch('providers/by-hand', { settings: { name: 'Of somebody else' } }).expect(200);
    await dialog().getByLabel('Prefix').fill('ours/');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().getByText('Somebody else was faster').waitFor();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await act('by-hand', 'Change');
    await dialog().getByLabel('Prefix').fill('ours/');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('The change is in force').waitFor();
    await until(async () => (await ask('ours/added').catch(() => undefined)) !== undefined, 'the new name', 5_000);
    expect(upstream.requests.at(-1)!.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect((await operator.get('providers/by-hand')).body).toMatchObject({ settings: { name: 'Of somebody else', prefix: 'ours/' } });
  });

  it('switches a model off with a message that clients and people read, and on again', async () => {
    const theirs = await walk.open(/status of \d+/, { storageState: await page.context().storageState() });
    await theirs.goto(`${account}/playground`);
    await theirs.getByRole('combobox', { name: 'Model', exact: true }).fill('ours/added');
    await theirs.getByRole('option', { name: 'ours/added', exact: true }).click();
    await visit('Model switches');
    await page.getByRole('button', { name: 'Switch off ours/added', exact: true }).click();
    await dialog().getByLabel('Message').fill(MESSAGE);
    expect(await seriousViolations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('row', { name: /ours\/added.*Switched off.*onerror/ }).waitFor();
    await until(async () => (await refusalOf('ours/added')).includes(MARKUP), 'the message', 5_000);
    await theirs.getByLabel('Message', { exact: true }).fill('Hello');
    await theirs.keyboard.press('Enter');
    const refusal = theirs.getByRole('article', { name: 'Answer of ours/added' }).getByRole('alert');
    await refusal.waitFor();
    expect(await refusal.innerText()).toContain(MARKUP);
    await theirs.context().close();
    await page.getByRole('button', { name: 'Switch on ours/added', exact: true }).click();
    await page.getByRole('row', { name: /ours\/added.*In service/ }).waitFor();
    await ask('ours/added');
  });

  const refusalOf = (model: string): Promise<string> =>
    ask(model).then(
      () => '',
      (error: Error) => error.message,
    );

  it('tells where a request would go, and why', async () => {
    await operator.post('models/filed/disable', { message: MESSAGE }).expect(200);
    await operator
      .post('providers', { id: 'dearer', settings: { base_url: upstream.origin, models: { 'ours/added': dearer } } })
      .expect(200);
    await until(async () => (await operator.get('offers?provider=dearer')).text.includes('ours/added'), 'the offer');
    await visit('Routing try-out');
    await page.getByRole('combobox', { name: 'Model', exact: true }).fill('ours/added');
    await page.getByRole('combobox', { name: 'Strategy' }).click();
    await page.getByRole('option', { name: 'cheapest' }).click();
    await page.getByRole('button', { name: 'Where would it go?' }).click();
    const asked = page.getByRole('region', { name: 'Asked', exact: true });
    await asked.waitFor();
    expect((await asked.getByRole('listitem').allInnerTexts()).map((text) => /by-hand|dearer/.exec(text)?.[0])).toEqual([
      'by-hand',
      'dearer',
    ]);
    expect(await asked.innerText()).toContain('It will probably cost');
    expect(await seriousViolations(page)).toEqual([]);
    // The prompt is held for, as long as was said.
    const held = await page.getByText('Prompt tokens, at most').locator('xpath=..').innerText();
    expect(Number(held.replace(/\D/g, ''))).toBeGreaterThanOrEqual(1_000);

    await page.getByRole('button', { name: 'Headers and whole body' }).click();
    await page.getByRole('combobox', { name: 'Without these providers' }).click();
    await page.getByRole('option', { name: 'by-hand' }).click();
    await page.getByRole('button', { name: 'Where would it go?' }).click();
    const notAsked = page.getByRole('region', { name: 'Not asked' });
    await notAsked.getByText('by-hand').first().waitFor();
    await page.getByRole('combobox', { name: 'Model', exact: true }).fill('filed');
    await page.getByRole('button', { name: 'Where would it go?' }).click();
    await page.getByText('It would be refused').waitFor();
    await operator.delete('providers/dearer').expect(200);
    await operator.post('models/filed/enable', {}).expect(200);
  });

  const dearer = { ...terms, pricing: { prompt: 0.01, completion: 0.02 } };

  it('switches a provider off and on again', async () => {
    await visit('Providers');
    await act('by-hand', 'Switch off');
    await dialog().getByText('It offers 2 models').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog().getByLabel('Reason').fill(MESSAGE);
    await dialog().getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('row', { name: /by-hand.*Switched off.*onerror/ }).waitFor();
    await until(async () => (await refusalOf('ours/added')).startsWith('404'), 'the end of the model', 5_000);
    await act('by-hand', 'Switch on');
    await page.getByRole('row', { name: /by-hand.*In service/ }).waitFor();
    await act('of-the-file', 'Test');
    await dialog().getByRole('button', { name: 'Test', exact: true }).click();
    await dialog().getByText('It answered in').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
  });

  it('shows recent errors with all requests of their group', async () => {
    expect(await refusalOf(MARKUP)).toContain('404');
    expect(await refusalOf(TURNED)).toContain('404');
    expect(await refusalOf(LONG)).toContain('404');
    await until(async () => (await operator.get('errors')).text.includes(LONG), 'the records');
    await visit('Recent errors');
    await page.getByRole('row', { name: MARKUP }).getByRole('cell').nth(3).click();
    await page.getByRole('dialog', { name: `Model not found: all requests for ${MARKUP}`, exact: true }).waitFor();
    await dialog()
      .getByRole('row', { name: /onerror.*404$/ })
      .click();
    await dialog().getByRole('heading', { name: MARKUP }).waitFor();
    await dialog().getByText('No provider was called').waitFor();
    expect(await dialog().getByRole('note', { name: 'Error' }).innerText()).toContain(`The model '${MARKUP}' does not exist`);
    await dialog().getByText('Organisation', { exact: true }).locator('xpath=..').getByText(MARKUP).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog()
      .getByRole('link', { name: /Open it in/ })
      .click();
    await page.getByRole('dialog', { name: 'Request' }).getByRole('heading', { name: MARKUP }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('says of a request whose gateway has ended in the middle of it that no more is known', async () => {
    const request = (await ask('filed')).id.replace('chatcmpl-', '');
    // The charge alone, which has no status, may be there before.
    const status = async () => ((await operator.get(`requests/${request}`)).body as { status?: number | null }).status;
    await until(async () => (await status()) === 200, 'the record');
    const store = new DatabaseSync(join(walk.program, 'data/switchyard.db'), { timeout: 10_000 });
    // As the recovery after a crash writes it.
    const unwritten = ['provider', 'began_at', 'duration_ms', 'streamed', 'status', 'attempts', 'dropped_parameters'];
    const set = `outcome = 'crashed', ${unwritten.map((name) => `${name} = null`).join(', ')}`;
    store.prepare('delete from request_record where request_id = ?').run(request);
    store.prepare(`update usage set ${set} where request_id = ?`).run(request);
    store.close();
    const shown = async () => {
      await dialog().getByText('Its gateway has not written which providers it called.').waitFor();
      const text = await dialog().innerText();
      expect(text).toMatch(/\sCrashed\s[^]*\sDuration\s+–\s/);
      expect(text).not.toMatch(/null|undefined|NaN/);
    };
    await page.goto(`${walk.origin}/dashboard/operate/errors?request=${request}`);
    await shown();
    await dialog()
      .getByRole('link', { name: /Open it in/ })
      .click();
    await page.getByRole('dialog', { name: 'Request', exact: true }).waitFor();
    await shown();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /filed.*Crashed.*–/ }).waitFor();
  });

  it('shows the configuration with its sources, and no secret', async () => {
    await visit('Configuration');
    await page.getByLabel('Find a setting, value or source').fill('of-the-file');
    await page.getByRole('row', { name: /providers\.of-the-file\.api_key \[redacted\] switchyard\.yaml:\d+:\d+/ }).waitFor();
    await page.getByLabel('Find a setting, value or source').fill('');
    await page.getByRole('row', { name: /^routing\.strategy priority Default/ }).waitFor();
    await page.getByLabel('Find a setting, value or source').fill('keys.pepper');
    for (const name of ['configuration', 'providers', 'audit']) {
      await page.goto(`${walk.origin}/dashboard/operate/${name}`);
      await walk.settled(page);
      const content = await page.content();
      for (const secret of [SECRET, SECRET_OF_FILE]) expect(content).not.toContain(secret);
    }
  });

  it('shows gateways and all changes', async () => {
    await visit('Gateways');
    await page.getByRole('row', { name: /Answers you.*Alive/ }).waitFor();
    await visit('All changes');
    await page
      .getByRole('row', { name: /Granted credits.* in <img.*owner@localhost, Operator/ })
      .first()
      .waitFor();
    await page
      .getByRole('row', { name: /Switched off a provider.*by-hand.*owner@localhost/ })
      .first()
      .waitFor();
  });

  it.each(someOf(operated, 2))('is usable by everybody at %s, with hostile names, wide and narrow, light and dark', (name) =>
    walk.looksWell(page, `${walk.origin}/dashboard/operate/${name}`),
  );

  it('shows on the pages of an account what in its names would turn the text around them', async () => {
    const { body } = await operator.post('accounts', { name: `${TURNED} again ${RIGHT_TO_LEFT}` }).expect(200);
    const of = `accounts/${(body as { id: string }).id}`;
    await operator.post(`${of}/projects`, { name: TURNED }).expect(200);
    for (const label of [TURNED, RIGHT_TO_LEFT]) await operator.post(`${of}/keys`, { environment: 'live', label }).expect(200);
    for (const name of ['overview', 'keys', 'members', 'audit']) {
      await page.goto(`${walk.origin}/dashboard/${of}/${name}?environment=live`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await walk.settled(page);
      expect([name, await page.evaluate(TURNING)]).toEqual([name, []]);
      expect(await page.innerText('body')).toContain('\\u202e\\u2066turned');
    }
  });

  describe('as each role sees them', () => {
    const build = ['Overview', 'API keys', 'Requests', 'Models', 'Playground', 'Credits', 'Members'];
    const operate = [
      'Organisations',
      'Providers',
      'Offers',
      'Model switches',
      'Routing try-out',
      'Recent errors',
      'Gateways',
      'Configuration',
      'All changes',
    ];
    const may = {
      create: ['operator', 'owner', 'admin', 'developer'],
      change: ['operator', 'owner', 'admin'],
      grant: ['operator'],
      alert: ['operator', 'owner', 'admin'],
    };

    it.each(someOf(roles, 2))('%s', async (role) => {
      await operator.post(`accounts/${id}/keys`, { id: `of-${role}`, label: `of ${role}`, environment: 'live' }).expect(200);
      const theirs = await walk.signIn(role, id, operator, /status of 40[13]/);
      const home = `${walk.origin}/dashboard/accounts/${id}`;
      await theirs.goto(`${home}/keys`);
      await theirs.getByRole('row', { name: `of ${role}` }).waitFor();
      const links = await theirs.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
      expect(links).toEqual([...build, ...(may.change.includes(role) ? ['Audit log'] : []), ...(role === 'operator' ? operate : [])]);

      const has = async (name: string | RegExp) => (await theirs.getByRole('button', { name }).count()) > 0;
      expect([role, await has('Create key')]).toEqual([role, may.create.includes(role)]);
      expect([role, await has(`Actions for of ${role}`)]).toEqual([role, may.create.includes(role)]);
      if (may.create.includes(role)) {
        await theirs
          .getByRole('button', { name: `Actions for of ${role}` })
          .first()
          .click();
        await theirs.getByRole('menuitem').first().waitFor();
        const actions = await theirs.getByRole('menuitem').allInnerTexts();
        expect([role, actions.length]).toEqual([role, may.change.includes(role) ? 3 : 2]);
        await theirs.keyboard.press('Escape');
      }
      await theirs.goto(`${home}/credits`);
      await theirs.getByRole('region', { name: 'Ledger' }).waitFor();
      await walk.settled(theirs);
      expect([role, await has('Grant credits')]).toEqual([role, may.grant.includes(role)]);
      const alert = theirs.getByRole('button', { name: 'Add an alert' });
      if (may.alert.includes(role)) await alert.first().waitFor();
      else expect([role, await alert.count()]).toEqual([role, 0]);

      // Whatever the navigation offers is answered: to those who see most and to those who see least.
      for (const link of longForm || role === 'operator' || role === 'viewer' ? links : []) {
        await theirs.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: link, exact: true }).click();
        await theirs.getByRole('heading', { level: 1, name: link }).waitFor();
        await walk.settled(theirs);
        expect([role, link, await theirs.getByText('You may not see this').count()]).toEqual([role, link, 0]);
      }
      // The API decides by the role alone: one is asked everywhere, the others at one place.
      for (const name of role === 'operator' ? [] : role === 'viewer' ? operated : operated.slice(0, 1)) {
        await theirs.goto(`${walk.origin}/dashboard/operate/${name}`);
        const refusal = theirs.getByRole('alert').filter({ hasText: 'You may not see this' });
        await refusal.waitFor();
        expect(await refusal.innerText()).toContain('operator');
        expect(await theirs.getByRole('main').getByRole('button').count()).toBe(0);
      }
      await theirs.context().close();
    });
  });
});
