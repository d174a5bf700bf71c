import type { Page } from 'playwright-core';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import type { Administration } from '../support/administration.js';
import { describeChromium } from '../support/chromium.js';
import { DashboardWalk } from '../support/dashboard-walk.js';
import { chatEvents } from '../support/openai-bytes.js';
import { SnippetRunner } from '../support/snippet-runner.js';
import { until } from '../support/until.js';

const PIECES = 20;
const pieces = [
  ...Array.from({ length: PIECES }, (_, index) =>
    chatEvents([{ index: 0, delta: { role: 'assistant', content: `w${index} ` }, finish_reason: null }]),
  ),
  chatEvents([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  `data: ${JSON.stringify({
    id: 'x',
    created: 1,
    model: 'up',
    object: 'chat.completion.chunk',
    choices: [],
    usage: { prompt_tokens: 3, completion_tokens: PIECES, total_tokens: PIECES + 3 },
  })}\n\ndata: [DONE]\n\n`,
];

describeChromium('Models and what they answer, in the dashboard', () => {
  let walk: DashboardWalk;
  let upstream: LoopbackUpstream;
  let page: Page;
  /** The address of the account's pages. */
  let account: string;
  let operator: Administration;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    let sent = 0;
    upstream.replies({
      headers: { 'content-type': 'text/event-stream' },
      body: pieces.join(''),
      cuts: pieces.map((piece) => (sent += piece.length)),
      pace: 25,
    });
    const paced = { pricing: { prompt: 0.5, completion: 1.5 }, context_length: 100_000, max_tokens: 1_000 };
    walk = await DashboardWalk.start({
      providers: {
        vendor: {
          base_url: upstream.origin,
          api_key: 'k',
          models: { 'vendor-paced': paced, 'vendor-unpriced': { context_length: 1, max_tokens: 1 } },
        },
      },
    });
    page = await walk.open();
    account = await walk.signInFirst(page);
    operator = await walk.operator();
  });
  afterAll(async () => {
    await walk.stop();
    await upstream.stop();
  });
  // What a page refuses to run or to show is told on its console.
  afterEach(() => expect(walk.wrong).toEqual([]));

  describe('the playground', () => {
    const answerOf = (model: string) => page.getByRole('article', { name: `Answer of ${model}` }).last();
    const choose = async (model: string) => {
      await page.getByRole('combobox', { name: 'Model', exact: true }).fill(model);
      await page.getByRole('option', { name: model, exact: true }).click();
    };
    const ask = async (text: string) => {
      await page.getByLabel('Message', { exact: true }).fill(text);
      await page.keyboard.press('Enter');
    };

    it('shows the speed of an answer, and passes its greatest length on', async () => {
      await page.getByRole('link', { name: 'Playground' }).click();
      await page.getByText('Live', { exact: true }).click();
      await choose('vendor-paced');
      await page.getByLabel('Max tokens').fill('77');
      await ask('Count.');
      const figures = answerOf('vendor-paced').getByTestId('figures');
      await figures.getByText(/tokens\/s$/).waitFor();
      const [, speed] = /Speed\s+([\d.]+) tokens\/s/.exec(await figures.innerText())!;
      expect(Number(speed)).toBeGreaterThan(1);
      // Some pieces may come to the page together, but not all.
      expect(Number(speed)).toBeLessThan(PIECES * 20);
      const [body] = upstream.requests.map((request) => JSON.parse(request.body) as object);
      expect(body).toMatchObject({ model: 'vendor-paced', max_tokens: 77 });
    });

    it('keeps conversations from other browsers of the same person', async () => {
      const conversations = async (browser: Page): Promise<void> => {
        await browser.goto(`${account}/playground`);
        await browser.getByRole('button', { name: 'Conversations' }).click();
      };
      await conversations(page);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Count\./ })
        .waitFor();
      await page.keyboard.press('Escape');
      const other = await walk.beside(page);
      await conversations(other);
      await other.getByRole('dialog').getByText('None yet').waitFor();
      await other.context().close();
    });

    it('writes code in Python that runs', async () => {
      const text = `What's "weather" \\ $HOME?`;
      await page.getByText('Test', { exact: true }).click();
      await page.getByRole('button', { name: 'New', exact: true }).click();
      await choose('sandbox-chat');
      await ask(text);
      await answerOf('sandbox-chat').getByTestId('cost').waitFor();
      await page.getByRole('button', { name: 'Code', exact: true }).click();
      await page.getByRole('dialog').getByRole('tab', { name: 'Python', exact: true }).click();
      const code = await page.getByRole('dialog').getByLabel('Code', { exact: true }).innerText();
      expect(code).toContain(JSON.stringify(text));
      const path = new URL(account).pathname.replace('/dashboard/', '');
      const { key } = (await operator.post(`${path}/keys`, { environment: 'test' }).expect(200)).body as { key: string };
      expect(await new SnippetRunner(walk.program).python(code.replace('YOUR_TEST_KEY', key))).not.toBe('');
    });
  });

  describe('models', () => {
    it('show how they do, with numbers and small charts', async () => {
      // What was measured is stored a while later.
      await until(async () => {
        const model = await operator.get(`accounts/${account.split('/').at(-1)}/models/vendor-paced`);
        return (model.body as { history: { first_token_ms: number | null }[] }).history.some((past) => past.first_token_ms !== null);
      }, 'the history of the model');
      await page.goto(`${account}/models`);
      await page.getByRole('button', { name: 'vendor-paced', exact: true }).filter({ visible: true }).click();
      const drawer = page.getByRole('dialog');
      const facts = drawer.getByRole('table', { name: 'Facts' });
      for (const [name, value] of [
        ['Status', /Active/],
        ['First token', /^\d+(\.\d+)? m?s$/],
        ['Tokens per second', /^[\d,]+$/],
        ['Uptime', /^\d+(\.\d+)?%$/],
      ] as const)
        expect([
          name,
          await facts
            .getByRole('row', { name: new RegExp(`^${name}`) })
            .getByRole('cell')
            .innerText(),
        ]).toEqual([name, expect.stringMatching(value)]);
      for (const name of ['Calls', 'First token', 'Tokens per second', 'Uptime'])
        await drawer
          .getByRole('img', { name: `${name} in the last 24 hours` })
          .locator('path[d^="M"]')
          .waitFor({ state: 'attached' });
      expect(await drawer.innerText()).toMatch(/Calls, 24 hours\s+1\s/);
      await page.keyboard.press('Escape');
    });

    it('are not free where nobody has set a price', async () => {
      const row = page.getByRole('table', { name: 'Models' }).getByRole('row', { name: /vendor-unpriced/ });
      const cells = await row.getByRole('cell').allInnerTexts();
      // Nobody has called it, either: nothing is known of its uptime.
      expect([cells[4], cells[5], cells[9]]).toEqual(['–', '–', '–']);
    });

    it('are filtered by what they can', async () => {
      const table = page.getByRole('table', { name: 'Models' });
      const all = await table.getByRole('row').count();
      await page.getByRole('combobox', { name: 'Capabilities' }).click();
      await page.getByRole('option', { name: 'Embeddings' }).click();
      await page.keyboard.press('Escape');
      await table.getByRole('row', { name: /vendor-paced/ }).waitFor({ state: 'detached' });
      const left = (await table.getByRole('row').all()).slice(1);
      expect(left.length).toBeGreaterThan(0);
      expect(left.length).toBeLessThan(all - 1);
      for (const row of left) await row.getByRole('img', { name: 'Embeddings' }).waitFor();
    });
  });
});
