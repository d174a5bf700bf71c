import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { Page } from 'playwright-core';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.ts';
import { chromiumPath, openChromium } from '../support/open-chromium.ts';
import { type Lists, seedLists } from '../support/seed-lists.ts';
import type { Bench, Measurement } from './bench.ts';
import type { Gateway } from './gateway.ts';
import { median } from './measure.ts';

const lists: Lists = { keys: 10_000, accounts: 1_000, projects: 1_000, people: 1_000, requests: 100_000 };

/** Milliseconds until the first row is there. */
const AT_MOST = 300;
const ROUNDS = 15;
const ROUNDS_OF_A_PAGE = 5;

/** What the pages ask for to show their first rows; `of` is the path of the account. */
const asked = (of: string): Readonly<Record<string, string>> => ({
  keys: `${of}/keys?environment=live&active=true&newest_first=true&limit=50`,
  'keys, searched': `${of}/keys?environment=live&active=true&newest_first=true&limit=50&search=key%209999`,
  'keys, none found': `${of}/keys?environment=live&active=true&newest_first=true&limit=50&search=nothing`,
  projects: `${of}/projects?limit=20&search=project%20999`,
  models: `${of}/models?active=false&order=speed&descending=true&limit=50`,
  people: `${of}/members?limit=50&search=member%20999`,
  organisations: 'accounts?limit=50&search=seeded%20999',
  requests: `${of}/requests?environment=live&limit=50`,
  'requests of a key': `${of}/requests?environment=live&limit=50&key=seeded-77`,
});

async function timesOf(address: string, token: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    const { data } = (await answer.json()) as { data: unknown[] };
    times.push(performance.now() - began);
    if (data.length === 0 && !address.endsWith('=nothing')) throw new Error(`${address} has no rows`);
  }
  return times;
}

/** Pages of the dashboard that show rows or charts. */
const PAGES = `Overview, API keys, Requests, Models, Credits, Members, Audit log, Organisations, Providers, Offers, Model switches,
  Recent errors, Gateways, Configuration, All changes`.split(/,\s+/);

/** Milliseconds from a click in the navigation to the first row of a page, or its first chart. */
const firstRow = (title: string) => `new Promise((resolve) => {
  const began = performance.now();
  new MutationObserver((_, observer) => {
    if (!document.querySelector('main tbody tr, main [role=img] path')) return;
    observer.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - began));
  }).observe(document, { childList: true, subtree: true });
  [...document.querySelectorAll('nav a')].find(({ textContent }) => textContent === '${title}').click();
})`;

interface Shown {
  readonly title: string;
  readonly times: number[];
  /** Milliseconds of the page's own thread. */
  readonly cpus: number[];
}

/** Each page, opened from one that has no rows. */
async function* shownTimes({ command, port }: Gateway, account: string): AsyncGenerator<Shown> {
  const origin = `http://127.0.0.1:${port}`;
  const { link } = (await command('people', 'invite', 'bench@example.com', '--operator')) as { link: string };
  const accepted = await fetch(`${origin}/admin/v1/invitations/${link.split('/').at(-1)!}/accept`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench', password: 'a few words to remember' }),
  });
  const [cookie = ''] = accepted.headers.getSetCookie();
  const browser = await openChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await context.addCookies([{ name: 'switchyard_session', value: /=([^;]+)/.exec(cookie)![1]!, url: origin }]);
    const page: Page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const cpu = async (): Promise<number> => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value;
    };
    for (const title of PAGES) {
      const [times, cpus] = [[] as number[], [] as number[]];
      for (let round = 0; round < ROUNDS_OF_A_PAGE; round++) {
        await page.goto(`${origin}/dashboard/accounts/${account}/playground?environment=live`);
        await page.getByRole('heading', { name: 'Playground', level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        const before = await cpu();
        times.push(await page.evaluate<number>(firstRow(title)));
        cpus.push((await cpu()) - before);
      }
      yield { title, times, cpus };
    }
  } finally {
    await browser.close();
  }
}

async function measure(bench: Bench, engine: string, gateway: Gateway, write: (sql: string) => unknown): Promise<void> {
  await gateway.command('accounts', 'create', 'lists');
  await gateway.command('credits', 'grant', '--account', 'lists', '--env', 'live', '1000000');
  const { token } = (await gateway.command('tokens', 'create', '--role', 'operator', '--label', 'bench')) as { token: string };
  const admin = `http://127.0.0.1:${gateway.port}/admin/v1/`;
  const found = await fetch(`${admin}accounts?search=lists`, { headers: { authorization: `Bearer ${token}` } });
  const account = ((await found.json()) as { data: { id: string }[] }).data[0]!.id;
  for (const statement of seedLists(account, lists)) await write(statement);
  const add = (name: string, times: readonly number[], more = '') =>
    bench.add({
      name: `first row of ${name}, ${engine}`,
      value: median(times),
      unit: 'ms',
      target: { atMost: AT_MOST },
      detail: `of ${times.length}, at most ${Math.max(...times).toFixed(0)}${more}`,
    });
  for (const [name, path] of Object.entries(asked(`accounts/${account}`))) add(name, await timesOf(admin + path, token));
  if (chromiumPath === undefined) return;
  for await (const { title, times, cpus } of shownTimes(gateway, account))
    add(`the page ${title}, in Chromium`, times, `; CPU of the page ${median(cpus).toFixed(0)}`);
}

const onSqlite: Measurement = {
  name: 'lists, SQLite',
  oursOnly: true,
  ownProcesses: true,
  async run(bench) {
    const gateway = await bench.freshGateway();
    const store = new DatabaseSync(join(gateway.folder, 'data/switchyard.db'), { timeout: 10_000 });
    try {
      await measure(bench, 'SQLite', gateway, (sql) => store.exec(sql));
    } finally {
      store.close();
      await gateway.stop();
    }
  },
};

const onPostgres: Measurement = {
  name: 'lists, PostgreSQL',
  oursOnly: true,
  ownProcesses: true,
  async run(bench) {
    const postgres = await TemporaryPostgres.startServer();
    const client = new Client({ connectionString: postgres.url });
    try {
      await client.connect();
      const env = { DATABASE_URL: postgres.url, SWITCHYARD_PEPPER: 'a pepper of at least thirty-two characters' };
      const gateway = await bench.freshGateway({ env, key: null });
      try {
        await measure(bench, 'PostgreSQL', gateway, (sql) => client.query(sql));
      } finally {
        await gateway.stop();
      }
    } finally {
      await client.end();
      await postgres.stop();
    }
  },
};

export const listMeasurements: readonly Measurement[] = [onSqlite, onPostgres];
