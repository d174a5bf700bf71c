import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import request from 'supertest';
import { apiDocuments } from '../support/api-documents.js';
import { buildProgram } from '../support/built-program.js';
import { describeChromium, openChromium, seriousViolations } from '../support/chromium.js';
import { DescribedAnswers } from '../support/described-answers.js';
import { GatewayProcess } from '../support/gateway-process.js';

describe('The description of the API, as the built program answers it', () => {
  let program: string;
  let gateway: GatewayProcess;
  let url: string;

  beforeAll(async () => {
    program = await buildProgram();
    gateway = new GatewayProcess([execPath, join(program, 'dist/main.js')], { cwd: program });
    url = new URL(await gateway.listening()).origin;
  });
  afterAll(async () => {
    await gateway.stop();
    rmSync(program, { recursive: true });
  });

  it.each(['/openapi.json', '/admin/v1/openapi.json', '/docs'])('needs no key for %s, and sends it once', async (path) => {
    const { administration, customers } = apiDocuments;
    const { check } = new DescribedAnswers(path.startsWith('/admin') ? administration : customers);
    const first = await request(url).get(path).expect(check).expect(200);
    expect(first.headers['etag']).toMatch(/^"[^"]{10,}"$/);
    expect(first.headers['cache-control']).toBe('no-cache');
    const again = await request(url).get(path).set('if-none-match', `"other", W/${first.headers['etag']}`).expect(check).expect(304);
    expect(again.text).toBe('');
    expect(again.headers['etag']).toBe(first.headers['etag']);
    await request(url).get(path).set('if-none-match', '"other"').expect(200);
  });

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

  it('is a page that loads nothing from elsewhere, under a policy that allows its own script and style alone', async () => {
    const { text, headers } = await request(url)
      .get('/docs')
      .expect('content-type', /^text\/html/);
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(text).not.toMatch(/\sstyle=|\son\w+="/);
    const policy = String(headers['content-security-policy']);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(policy).toContain("default-src 'none'");
    for (const element of ['script', 'style']) {
      const parts = Array.from(text.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g')), ([, part]) => part!);
      expect(parts).toHaveLength(1);
      expect(parts[0]!.length).toBeGreaterThan(1_000);
      expect(policy).toContain(`${element}-src 'sha256-${createHash('sha256').update(parts[0]!).digest('base64')}'`);
    }
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
        const chat = page.getByRole('article').filter({ hasText: 'POST /v1/chat/completions' });
        await chat.first().waitFor();
        const command = await chat.first().locator('pre').first().innerText();
        expect(command).toContain(`curl -X POST "${url}/v1/chat/completions"`);
        expect(await page.getByRole('link', { name: 'Dashboard' }).getAttribute('href')).toBe('dashboard');
        expect(await seriousViolations(page)).toEqual([]);
        await page.getByRole('group', { name: 'Document' }).getByText('Administration').click();
        await page.getByRole('article').filter({ hasText: 'GET /admin/v1/accounts' }).first().waitFor();
        const listed = page.getByRole('navigation').getByRole('listitem').filter({ visible: true });
        const all = await listed.count();
        await page.getByRole('searchbox').fill('rotate');
        await listed.getByText('successor of a key').waitFor();
        expect(await listed.count()).toBeLessThan(all / 10);
        expect(wrong).toEqual([]);
      } finally {
        await browser.close();
      }
    });
  });
});
