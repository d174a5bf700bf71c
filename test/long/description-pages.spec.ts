import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import request from 'supertest';
import { apiDocuments } from '../support/api-documents.js';
import { buildProgram } from '../support/built-program.js';
import { describeChromium, seriousViolations } from '../support/chromium.js';
import { openChromium } from '../support/open-chromium.js';
import { DescribedAnswers } from '../support/described-answers.js';
import { GatewayProcess } from '../support/gateway-process.js';

describe('The description of the API, as the built program answers it', () => {
  let program: string;
  let gateway: GatewayProcess;
  let url: string;
  let key: string;

  beforeAll(async () => {
    program = await buildProgram();
    gateway = new GatewayProcess([execPath, join(program, 'dist/main.js')], { cwd: program });
    url = new URL(await gateway.listening()).origin;
    [, key] = (await gateway.output(/(sy-test-\w+)/)) as unknown as [string, string];
  });
  afterAll(async () => {
    await gateway.stop();
    rmSync(program, { recursive: true });
  });

  it.each(['/openapi.json', '/admin/v1/openapi.json', '/docs', '/docs/page.js', '/docs/page.css'])(
    'needs no key for %s, and sends it once',
    async (path) => {
      const { administration, customers } = apiDocuments;
      const { check } = new DescribedAnswers(path.startsWith('/admin') ? administration : customers);
      const first = await request(url).get(path).expect(check).expect(200);
      expect(first.headers['etag']).toMatch(/^"[^"]{10,}"$/);
      expect(first.headers['cache-control']).toBe('no-cache');
      const again = await request(url).get(path).set('if-none-match', `"other", W/${first.headers['etag']}`).expect(check).expect(304);
      expect(again.text).toBe('');
      expect(again.headers['etag']).toBe(first.headers['etag']);
      await request(url).get(path).set('if-none-match', '"other"').expect(200);
    },
  );

  it('answers two documents', async () => {
    const { body: customers } = await request(url)
      .get('/openapi.json')
      .expect('content-type', /^application\/json/);
    expect(Object.keys((customers as { paths: object }).paths)).toEqual(
      expect.arrayContaining(['/v1/models', '/v1/chat/completions', '/']),
    );
    expect(JSON.stringify(customers)).not.toContain('/admin/');
    const { body: administration } = await request(url).get('/admin/v1/openapi.json');
    for (const path of Object.keys((administration as { paths: object }).paths)) expect(path).toMatch(/^\/admin\/v1\//);
  });

  it('is a page that loads nothing from elsewhere, under a policy that allows its own files alone', async () => {
    const { text, headers } = await request(url)
      .get('/docs')
      .expect('content-type', /^text\/html/);
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(text).not.toMatch(/<style|<script>|\sstyle=|\son\w+="/);
    const policy = String(headers['content-security-policy']);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
    const answer = await request(url).get('/docs/page.js').set('accept-encoding', 'gzip').expect(200);
    expect(Number(answer.headers['content-length'])).toBeLessThan(500_000);
  });

  describeChromium('the page', () => {
    it('shows both surfaces, with requests that can be sent', async () => {
      const browser = await openChromium();
      try {
        const page = await browser.newPage();
        const wrong: string[] = [];
        page.on('pageerror', ({ message }) => wrong.push(message));
        page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
        page.on('request', (asked) => new URL(asked.url()).origin !== url && !asked.url().startsWith('data:') && wrong.push(asked.url()));
        await page.goto(`${url}/docs`);
        await page.getByRole('button', { name: 'POST /v1/chat/completions' }).waitFor();
        expect(await page.getByRole('link', { name: 'Dashboard' }).getAttribute('href')).toBe('dashboard');
        expect(await seriousViolations(page)).toEqual([]);
        await page.getByRole('button', { name: 'Authorize', exact: true }).click();
        await page.getByRole('textbox', { name: 'auth-bearer-value' }).fill(key);
        await page.getByRole('button', { name: 'Apply credentials' }).click();
        await page.getByRole('button', { name: 'Close' }).last().click();
        await page.getByRole('button', { name: 'POST /v1/chat/completions' }).click();
        await page.getByRole('button', { name: 'Execute' }).click();
        const live = page.locator('.live-responses-table');
        await live.getByText('chat.completion').first().waitFor();
        expect(await page.locator('.curl').innerText()).toContain(`curl -X 'POST' \\\n  '${url}/v1/chat/completions'`);
        await page.getByRole('link', { name: 'Administration' }).click();
        await page.getByRole('heading', { name: 'Switchyard administration' }).waitFor();
        await page.getByPlaceholder('Filter').fill('successor');
        await page.getByText('successor of a key').waitFor();
        expect(await page.locator('.opblock').count()).toBe(1);
        expect(wrong).toEqual([]);
      } finally {
        await browser.close();
      }
    });
  });
});
