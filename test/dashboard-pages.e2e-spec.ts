import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import OpenAI from 'openai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildDashboard, buildProgram } from './support/built-program.js';
import { chromiumPath, openChromium, seriousViolations } from './support/chromium.js';
import { GatewayProcess } from './support/gateway-process.js';

const describeWithChromium = chromiumPath === undefined ? describe.skip : describe;

describeWithChromium('The pages of the dashboard, in Chromium (needs one installed)', () => {
  const password = 'a few words to remember';
  let program: string;
  let gateway: GatewayProcess;
  let url: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** The address of the account's pages. */
  let account: string;
  const wrong: string[] = [];

  beforeAll(async () => {
    program = await buildProgram();
    await buildDashboard(program);
    gateway = new GatewayProcess([execPath, join(program, 'dist/main.js')], { cwd: program });
    url = await gateway.listening();
    browser = await openChromium();
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
    context.setDefaultTimeout(20_000);
    page = await context.newPage();
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('status of 401')) wrong.push(message.text());
    });
  });
  afterAll(async () => {
    await browser.close();
    await gateway.stop();
    rmSync(program, { recursive: true });
  });
  // What a page refuses to run or to show is told on its console.
  afterEach(() => expect(wrong).toEqual([]));

  it('signs in with the link of the first start, which asks for a password', async () => {
    const [, link] = await gateway.output(/(http:\S+\/dashboard\/sign-in\?link=\S+)/);
    await page.goto(link!);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Save the password' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    [account] = /^.*\/accounts\/[^/]+/.exec(page.url()) as unknown as [string];
  });

  it('makes a key on the spot, with which a client is answered', async () => {
    await page.getByText('Test', { exact: true }).click();
    await page.getByRole('button', { name: 'Make a test key' }).click();
    await page.getByText('The key is in the snippets below').waitFor();
    const [, key] = /Bearer (sy-test-\w+)/.exec(await page.getByLabel('Code', { exact: true }).innerText())!;
    const answer = await new OpenAI({ baseURL: url, apiKey: key }).chat.completions.create({
      model: 'sandbox-chat',
      messages: [{ role: 'user', content: 'Say hello.' }],
    });
    expect(answer.choices[0]?.message.content).not.toBe('');
  });

  it('makes a key with a budget, rotates it and revokes it', async () => {
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('<b>Nightly</b> batch');
    await dialog.getByRole('button', { name: /^Budgets/ }).click();
    await dialog.getByLabel('Per day').fill('0.5');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const made = await page.getByTestId('made-key').innerText();
    expect(made).toMatch(/^sy-test-\w{32}$/);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    const client = (apiKey: string) =>
      new OpenAI({ baseURL: url, apiKey, maxRetries: 0 }).chat.completions.create({
        model: 'sandbox-chat',
        messages: [{ role: 'user', content: 'Say hello.' }],
      });
    await client(made);

    const act = async (action: string) => {
      await page.getByRole('button', { name: 'Actions for <b>Nightly</b> batch' }).first().click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await act('Rotate');
    await page.getByRole('button', { name: 'Make the new key' }).click();
    const successor = await page.getByTestId('made-key').innerText();
    expect(successor).not.toBe(made);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await Promise.all([client(made), client(successor)]);

    // The newest key is first.
    await act('Revoke');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('is revoked.').waitFor();
    await expect(client(successor)).rejects.toMatchObject({ status: 401 });
    await client(made);
  });

  it('shows the requests, and what one of them cost', async () => {
    await page.getByRole('link', { name: 'Requests' }).click();
    // Requests are stored some seconds after they have ended.
    await page.getByRole('switch', { name: 'Live' }).press('Space');
    await page
      .getByRole('button', { name: /^Show the request of/ })
      .nth(3)
      .waitFor();
    await page
      .getByRole('button', { name: /^Show the request of/ })
      .last()
      .click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('heading', { name: 'sandbox-chat' }).waitFor();
    const price = await drawer.getByRole('region', { name: 'Price' }).innerText();
    expect(price).toMatch(/Charged\s+0\.000\d{6}/);
    await page.keyboard.press('Escape');
  });

  it.each(['overview', 'keys', 'requests', 'models', 'credits'])(
    'is usable by everybody at %s, wide and narrow, light and dark',
    async (name) => {
      const looks = [
        ['light', 1280],
        ['dark', 1280],
        ['light', 390],
      ] as const;
      for (const [colorScheme, width] of looks) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${account}/${name}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        const look = { name, colorScheme, width };
        expect({ ...look, overflow, violations: await seriousViolations(page) }).toEqual({ ...look, overflow: 0, violations: [] });
      }
    },
  );

  it('signs out, and in again with the password', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: /preferences and sign out/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').fill('owner@localhost');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});
