import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { copyProgram } from './support/built-program.js';
import { describeChromium, seriousViolations } from './support/chromium.js';
import { openChromium } from './support/open-chromium.js';
import { GatewayProcess } from './support/gateway-process.js';
import { blocksOf } from './support/markdown-blocks.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
describeChromium('A page that somebody adds to the dashboard as its chapter says', () => {
  let copy: string;
  let gateway: GatewayProcess | undefined;

  beforeAll(async () => {
    copy = await copyProgram();
    for (const name of ['tsconfig.json', 'src/dashboard/web', 'src/wire']) cpSync(join(root, name), join(copy, name), { recursive: true });
    const chapter = readFileSync(join(root, 'src/dashboard/README.md'), 'utf8');
    const [[page], [line]] = [blocksOf(chapter, 'tsx'), blocksOf(chapter, 'ts')];
    mkdirSync(join(copy, 'src/dashboard/web/pages/projects'));
    writeFileSync(join(copy, 'src/dashboard/web/pages/projects/projects.page.tsx'), page!);
    const table = join(copy, 'src/dashboard/web/pages.ts');
    const before = readFileSync(table, 'utf8');
    writeFileSync(table, `import { IconFolder } from '@tabler/icons-react';\n${before.replace(/^\];$/m, `${line!}];`)}`);
  }, 120_000);
  afterAll(async () => {
    await gateway?.stop();
    rmSync(copy, { recursive: true });
  });

  it('is as the types want it', async () => {
    await run(join(root, 'node_modules/.bin/tsc'), ['-p', join(copy, 'src/dashboard/web')]);
  }, 120_000);

  it('is in the navigation, and shows what there is', async () => {
    // Jest's own NODE_ENV would make it a build for development.
    const env = { ...process.env, NODE_ENV: 'production' };
    const outDir = join(copy, 'dist/dashboard/built');
    const config = join(copy, 'src/dashboard/web/vite.config.ts');
    await run(join(root, 'node_modules/.bin/vite'), ['build', '--config', config, '--outDir', outDir, '--emptyOutDir'], { env, cwd: copy });
    const cwd = mkdtempSync(join(tmpdir(), 'switchyard-new-page-'));
    gateway = new GatewayProcess([execPath, join(copy, 'dist/main.js')], { cwd });
    await gateway.listening();
    const browser = await openChromium();
    try {
      const page = await browser.newPage();
      const [, link] = await gateway.output(/(http:\S+\/dashboard\/sign-in\?link=\S+)/);
      await page.goto(link!);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Not now' }).click();
      await page.getByRole('link', { name: 'Projects' }).click();
      await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
      await page.getByText('No projects yet').waitFor();
      const [account] = /[^/]+(?=\/projects\?)/.exec(page.url())!;
      await page.evaluate<number>(`fetch('/admin/v1/session').then((answer) => answer.json()).then(({ csrf_token }) =>
        fetch('/admin/v1/accounts/${account}/projects', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-csrf-token': csrf_token },
          body: '{"name": "Search"}',
        })).then(({ status }) => status)`);
      await page.reload();
      await page.getByText('Search').waitFor();
      expect(await seriousViolations(page)).toEqual([]);
    } finally {
      await browser.close();
      rmSync(cwd, { recursive: true });
    }
  }, 120_000);
});
