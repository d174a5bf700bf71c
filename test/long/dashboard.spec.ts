import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import request from 'supertest';
import { buildProgram } from '../support/built-program.js';
import { expectEnvelope } from '../support/expect-envelope.js';
import { freePort } from '../support/free-port.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { open } from '../support/raw-socket.js';

/** Bytes of everything that the browser needs before the first page is there, as they are sent. */
const MAX_FIRST_LOAD = 250_000;

describe('The dashboard, as the built program answers it', () => {
  let program: string;
  let gateway: GatewayProcess;
  let url: string;

  beforeAll(async () => {
    program = await buildProgram({ dashboard: true });
    gateway = new GatewayProcess([execPath, join(program, 'dist/main.js')], { cwd: program });
    url = new URL(await gateway.listening()).origin;
  });
  afterAll(async () => {
    await gateway.stop();
    rmSync(program, { recursive: true });
  });

  const assetsOf = (page: string): string[] =>
    Array.from(page.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g), ([, path]) => path!);

  it('answers the same page below each of its addresses, with a nonce that is new each time', async () => {
    const nonces = new Set<string>();
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/sign-in?next=%2F', '/dashboard/accounts/acme/keys']) {
      const { text, headers } = await request(url)
        .get(path)
        .expect(200)
        .expect('content-type', /^text\/html/);
      const policy = String(headers['content-security-policy']);
      expect(policy).not.toMatch(/unsafe|\*/);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      const [, nonce] = /'nonce-([^']+)'/.exec(policy)!;
      expect(text).toContain(`nonce="${nonce}"`);
      expect(text).not.toMatch(/__[A-Z_]+__/);
      expect(text).not.toMatch(/<script>|\sstyle=|\son\w+="/);
      expect(text).toContain('<meta name="api" content="" />');
      nonces.add(nonce!);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
    }
    expect(nonces.size).toBe(4);
  });

  it('loads nothing from elsewhere, and little', async () => {
    const { text } = await request(url).get('/dashboard');
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    const assets = assetsOf(text);
    expect(assets.map((path) => path.split('.').at(-1))).toEqual(expect.arrayContaining(['css', 'js']));
    let sent = 0;
    for (const path of assets) {
      const { headers } = await request(url).get(path).set('accept-encoding', 'gzip, br').expect(200);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      if (!path.endsWith('.svg')) expect(headers['content-encoding']).toBe('br');
      sent += Number(headers['content-length']);
    }
    expect(sent).toBeLessThan(MAX_FIRST_LOAD);
  });

  it('compresses as the client likes it', async () => {
    const { text } = await request(url).get('/dashboard');
    const script = assetsOf(text).find((path) => path.endsWith('.js'))!;
    const encodings = [
      ['br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', undefined],
    ] as const;
    for (const [accepted, encoding] of encodings) {
      const { headers } = await request(url).get(script).set('accept-encoding', accepted).expect(200);
      expect([accepted, headers['content-encoding']]).toEqual([accepted, encoding]);
      expect(headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8', vary: 'accept-encoding' });
    }
  });

  it('has a file in memory once, however many strangers read it slowly', async () => {
    const bytes = 8 * 1024 * 1024;
    const strangers = 40;
    writeFileSync(join(program, 'dist/dashboard/built/assets/large-00000000.js'), Buffer.alloc(bytes, 'x'));
    const before = await gateway.memory();
    const sockets = await Promise.all(Array.from({ length: strangers }, () => open(Number(new URL(url).port))));
    try {
      const heads = sockets.map(async (socket) => {
        socket.write('GET /dashboard/assets/large-00000000.js HTTP/1.1\r\nhost: x\r\n\r\n');
        const [head] = (await once(socket, 'data')) as [Buffer];
        // The rest stays at the gateway, but for what the system keeps for a connection.
        socket.pause();
        return head.toString('latin1', 0, 12);
      });
      expect(new Set(await Promise.all(heads))).toEqual(new Set(['HTTP/1.1 200']));
      expect(((await gateway.memory()) - before) / bytes).toBeLessThan(strangers / 4);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('is on the port of the administration where there is one, and on no other', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'switchyard-ports-'));
    const port = await freePort();
    const env = { SWITCHYARD_SERVER_ADMIN_PORT: String(port) };
    const other = new GatewayProcess([execPath, join(program, 'dist/main.js')], { cwd, env });
    try {
      const customers = new URL(await other.listening()).origin;
      await other.output(new RegExp(`sign in +http://127.0.0.1:${port}/dashboard/sign-in\\?link=`));
      const page = await request(`http://127.0.0.1:${port}`)
        .get('/dashboard/accounts/acme/keys')
        .expect(200)
        .expect('content-type', /^text\/html/);
      // What snippets are made from.
      expect(page.text).toContain(`<meta name="api" content="${new URL(customers).port}" />`);
      const [asset = ''] = assetsOf(page.text);
      await request(`http://127.0.0.1:${port}`).get(asset).expect(200);
      for (const path of ['/dashboard', '/dashboard/accounts/acme/keys', asset]) {
        const { status, headers, text } = await request(customers).get(path);
        expectEnvelope({ status, headers, body: text }, 401, 'missing_api_key');
      }
    } finally {
      await other.stop();
      rmSync(cwd, { recursive: true });
    }
  });

  it('tells clients the public address of the API, and the first owner that of the pages, where there are such', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'switchyard-public-'));
    const port = await freePort();
    const env = {
      PORT: String(port),
      SWITCHYARD_SERVER_PUBLIC_URL: 'https://api.example.com/"models"/',
      SWITCHYARD_DASHBOARD_PUBLIC_URL: 'https://pages.example.com',
    };
    const other = new GatewayProcess([execPath, join(program, 'dist/main.js')], { cwd, env });
    try {
      await other.output(/sign in +https:\/\/pages\.example\.com\/dashboard\/sign-in\?link=sy-link-/);
      const { text } = await request(`http://127.0.0.1:${port}`).get('/dashboard').expect(200);
      expect(text).toContain('<meta name="api" content="https://api.example.com/%22models%22" />');
    } finally {
      await other.stop();
      rmSync(cwd, { recursive: true });
    }
  });

  it.each(['nothing.js', 'index.html', '..%2findex.html', '..%2f..%2fmain.js', '%00.js'])('has no file %s', async (name) => {
    const { status, headers, text } = await request(url).get(`/dashboard/assets/${name}`);
    expectEnvelope({ status, headers, body: text }, 404, 'not_found');
  });
});
