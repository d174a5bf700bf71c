import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { AdminRole } from '../../src/auth/administration/administrator.js';
import { Administration } from './administration.js';
import { Browser as Session } from './browser.js';
import { buildProgram } from './built-program.js';
import { seriousViolations } from './chromium.js';
import { GatewayProcess } from './gateway-process.js';
import { longForm } from './long-form.js';
import { openChromium } from './open-chromium.js';
import { until } from './until.js';

export const OWNERS_PASSWORD = 'a few words to remember';

/** Colours, and the width in pixels. */
type Look = readonly ['light' | 'dark', number];

const everyLook: readonly Look[] = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 375],
  ['dark', 375],
];

export interface FirstLoad {
  /** Of the page with its scripts, styles, fonts and pictures, as they were sent. What it shows is not counted. */
  readonly bytes: number;
  /** How much of the page was moved by what came later, as browsers measure it: https://web.dev/articles/cls */
  readonly moved: number;
  /** Paths of the fonts that it loaded. */
  readonly fonts: readonly string[];
}

/** Milliseconds from one look of a live page to the next. */
const LOOK = 5_000;

/** Whether a page shows that it loads something, once it has nothing to do. */
const IDLE = `new Promise((told) =>
  requestIdleCallback(() => requestIdleCallback(() => told(document.querySelector('[role=status][aria-label=Loading]') !== null))),
)`;

/** The elements, or their labels, in which a name could turn the text around it. */
export const TURNING = `[...document.querySelectorAll('body *')]
  .filter((element) => !element.matches('input, textarea, script, style'))
  .flatMap((element) => [...element.childNodes].filter(({ nodeType }) => nodeType === 3).concat([...element.attributes]))
  .filter(({ nodeValue, parentElement }) =>
    (parentElement?.closest('bdi') === null ? /[\\u0590-\\u08ff\\u202a-\\u202e\\u2066-\\u2069]/ : /[\\u202a-\\u202e\\u2066-\\u2069]/).test(nodeValue),
  )
  .map(({ nodeValue }) => nodeValue)`;

/** How much slower than this machine a phone is. Chromium's emulated slow network hangs in 1 of 300 loads. */
const SLOW_PROCESSOR = 4;

/** The built gateway with its dashboard, and a browser that walks it. */
export class DashboardWalk {
  /**
   * What pages refused to run or to show, as their console told it, dialogs that scripts opened, and what pages asked of
   * this gateway beside the dashboard and its administration: the API is for the keys of applications.
   */
  readonly wrong: string[] = [];
  /** How many pages were looked at. */
  #looked = 0;
  /** Of each page, how many requests it has made, and how many of them have not ended. */
  readonly #requests = new WeakMap<Page, { made: number; open: number }>();

  private constructor(
    readonly program: string,
    readonly gateway: GatewayProcess,
    /** The base address of the API. */
    readonly url: string,
    readonly browser: Browser,
  ) {}

  /**
   * @param configuration of the gateway's file; absent: it has none
   * @param env variables of its environment
   */
  static async start(configuration?: object, env: Record<string, string> = {}): Promise<DashboardWalk> {
    const program = await buildProgram({ dashboard: true });
    if (configuration) writeFileSync(join(program, 'switchyard.yaml'), JSON.stringify(configuration));
    const gateway = new GatewayProcess([execPath, join(program, 'dist/main.js')], {
      cwd: program,
      env: { SWITCHYARD_SANDBOX_LIVE: 'true', ...env },
    });
    const url = await gateway.listening();
    return new DashboardWalk(program, gateway, url, await openChromium());
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** A page in which nobody is signed in. */
  async open(expected = /status of 401/, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.wrong.push(error.message));
    page.on('dialog', (dialog) => {
      this.wrong.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === this.origin && !/^\/(dashboard|admin\/v1)(\/|$)/.test(pathname)) this.wrong.push(`it asked for ${pathname}`);
    });
    const requests = { made: 0, open: 0 };
    this.#requests.set(page, requests);
    page.on('request', () => void (requests.made++, requests.open++));
    for (const end of ['requestfinished', 'requestfailed'] as const) page.on(end as 'requestfinished', () => void requests.open--);
    page.on('console', (message) => {
      if (message.type() === 'error' && !expected.test(message.text())) this.wrong.push(message.text());
    });
    return page;
  }

  /** A page in another browser, which has loaded nothing yet, and in which the same person is signed in. */
  async beside(page: Page, options: BrowserContextOptions = {}, expected?: RegExp): Promise<Page> {
    return this.open(expected, { ...options, storageState: await page.context().storageState() });
  }

  /** What it takes a page that has loaded nothing yet to be there, with all that it loads by itself. */
  async firstLoad(page: Page, address: string): Promise<FirstLoad> {
    const sizes: Promise<number>[] = [];
    const fonts: string[] = [];
    page.on('requestfinished', (request) => {
      const { pathname } = new URL(request.url());
      if (request.resourceType() === 'font') fonts.push(pathname);
      if (pathname.startsWith('/dashboard')) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.addInitScript(`
      globalThis.moved = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.moved += value;
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PROCESSOR });
    await page.goto(address, { waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const control = page.getByRole('button').or(page.getByRole('textbox')).filter({ visible: true }).first();
    // It stands still, and nothing covers it.
    await control.click({ trial: true });
    await control.focus();
    await control.and(page.locator(':focus')).waitFor();
    await page.waitForLoadState('networkidle');
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    return { bytes, moved: await page.evaluate<number>('globalThis.moved'), fonts };
  }

  /**
   * Signs in with the link of the first start, which asks for a password.
   * @returns the address of the account's pages
   */
  async signInFirst(page: Page): Promise<string> {
    const [, link] = await this.gateway.output(/(http:\S+\/dashboard\/sign-in\?link=\S+)/);
    await page.goto(link!);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByLabel('Password', { exact: true }).fill(OWNERS_PASSWORD);
    await page.getByRole('button', { name: 'Save the password' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    return /^.*\/accounts\/[^/]+/.exec(page.url())![0];
  }

  /** An operator beside the browser. */
  async operator(): Promise<Administration> {
    const command = [join(this.program, 'dist/cli/main.js'), 'tokens', 'create', '--role', 'operator', '--label', 'spec'];
    const { stdout } = await promisify(execFile)(execPath, command, { cwd: this.program });
    return new Administration(this.origin, /sy-admin-\w+/.exec(stdout)![0]);
  }

  /** A page in which somebody new is signed in, who was invited. */
  async signIn(role: AdminRole, account: string, operator: Administration, expected?: RegExp): Promise<Page> {
    const invitations = role === 'operator' ? 'operators/invitations' : `accounts/${account}/invitations`;
    const email = `${role}@example.com`;
    const { body } = await operator.post(invitations, role === 'operator' ? { email } : { email, role }).expect(200);
    const token = (body as { link: string }).link.split('/').at(-1)!;
    const session = new Session(this.origin);
    await session.post(`invitations/${token}/accept`, { name: role, password: OWNERS_PASSWORD });
    const page = await this.open(expected);
    await page.context().addCookies([{ name: 'switchyard_session', value: session.cookie()!, url: this.origin }]);
    return page;
  }

  /** Resolves when a page has its answers and shows them: it asks for nothing more, and nothing in it is loading. */
  async settled(page: Page): Promise<void> {
    const requests = this.#requests.get(page)!;
    const asksNoMore = async (): Promise<boolean> => {
      const { made } = requests;
      const loads = await page.evaluate<boolean>(IDLE);
      return !loads && requests.open === 0 && requests.made === made;
    };
    await Promise.race([page.waitForLoadState('networkidle'), until(asksNoMore, 'a page that asks for nothing more')]);
  }

  /** Has time pass in a page, of which the clock is installed, until something has come about there. */
  timePasses(page: Page, condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    return until(async () => {
      await page.clock.fastForward(LOOK);
      return condition();
    }, what);
  }

  /**
   * Expects that a page is usable by everybody, wide and narrow, light and dark: in each of these in the long form, and
   * otherwise in another one than the page before.
   */
  async looksWell(page: Page, address: string): Promise<void> {
    const looks = longForm ? everyLook : [everyLook[this.#looked++ % everyLook.length]!];
    for (const [colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(address);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await this.settled(page);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      const look = { address, colorScheme, width };
      const turned = await page.evaluate<string[]>(TURNING);
      const seen = { ...look, overflow, turned, tables: await tablesThatScroll(page), violations: await seriousViolations(page) };
      expect(seen).toEqual({ ...look, overflow: 0, turned: [], tables: [], violations: [] });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.gateway.stop();
    rmSync(this.program, { recursive: true });
  }
}

/** Names of the tables of which some columns cannot be seen without scrolling. */
function tablesThatScroll(page: Page): Promise<string[]> {
  return page.evaluate(`
    [...document.querySelectorAll('[class*=scrollContainer]')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((container) => container.querySelector('table').ariaLabel)
  `);
}
