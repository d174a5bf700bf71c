import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import type { Locator, Page } from 'playwright-core';
import { LoopbackUpstream } from '../src/providers/testing/loopback-upstream.js';
import { chromiumPath, seriousViolations } from './support/chromium.js';
import { DashboardWalk, OWNERS_PASSWORD } from './support/dashboard-walk.js';
import { chatEvents, streamOf } from './support/openai-bytes.js';

const describeWithChromium = chromiumPath === undefined ? describe.skip : describe;

describeWithChromium('The pages of the dashboard, in Chromium (needs one installed)', () => {
  let walk: DashboardWalk;
  let upstream: LoopbackUpstream;
  let url: string;
  let page: Page;
  /** The address of the account's pages. */
  let account: string;
  let testKey: string;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    const sight = {
      pricing: { prompt: 0.5, completion: 1.5 },
      context_length: 100_000,
      max_tokens: 100,
      capabilities: { vision: true, function_calling: true, json_mode: true },
    };
    const vendor = { base_url: upstream.origin, api_key: 'k', input_ceilings: { image: 1_000 }, models: { 'vendor-sight': sight } };
    walk = await DashboardWalk.start({ providers: { vendor } });
    ({ url } = walk);
    page = await walk.open(/status of (401|503)/);
  });
  afterAll(async () => {
    await walk.stop();
    await upstream.stop();
  });
  // What a page refuses to run or to show is told on its console.
  afterEach(() => expect(walk.wrong).toEqual([]));

  it('signs in with the link of the first start, which asks for a password', async () => {
    account = await walk.signInFirst(page);
  });

  it('makes a key on the spot, with which a client is answered', async () => {
    await page.getByText('Test', { exact: true }).click();
    await page.getByRole('button', { name: 'Make a test key' }).click();
    await page.getByText('The key is in the snippets below').waitFor();
    [, testKey] = /Bearer (sy-test-\w+)/.exec(await page.getByLabel('Code', { exact: true }).innerText()) as unknown as [string, string];
    const answer = await new OpenAI({ baseURL: url, apiKey: testKey }).chat.completions.create({
      model: 'sandbox-chat',
      messages: [{ role: 'user', content: 'Say hello.' }],
    });
    expect(answer.choices[0]?.message.content).not.toBe('');
    const shown = await page.getByLabel('Code', { exact: true }).innerText();
    const { stdout } = await promisify(execFile)('sh', ['-c', `${shown} --silent --fail-with-body`]);
    expect(JSON.parse(stdout)).toMatchObject({ object: 'chat.completion' });
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
    await page
      .getByRole('progressbar', { name: /^Spent today: \d+ percent of the budget/ })
      .first()
      // Of so little spent nothing is drawn.
      .waitFor({ state: 'attached' });
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

  describe('the playground', () => {
    /** What the administration API answers to the page. */
    const told = <T>(path: string) => page.evaluate<T>(`fetch('/admin/v1/${path}').then((answer) => answer.json())`);
    const answerOf = (model: string): Locator => page.getByRole('article', { name: `Answer of ${model}` }).last();
    const choose = async (label: string, model: string) => {
      await page.getByRole('combobox', { name: label, exact: true }).fill(model);
      await page.getByRole('option', { name: model, exact: true }).click();
    };
    const ask = async (text: string) => {
      await page.getByLabel('Message', { exact: true }).fill(text);
      await page.keyboard.press('Enter');
    };
    const begin = async (model: string) => {
      await page.getByRole('button', { name: 'New', exact: true }).click();
      const others = page.getByRole('button', { name: /^Take .* away$/ });
      while ((await others.count()) > 0) await others.last().click();
      await choose('Model', model);
    };
    /** The record of an answer's request, and that what is shown is what was charged. */
    const chargedFor = async (answer: Locator) => {
      const cost = answer.getByTestId('cost').filter({ hasText: /\d\.\d{9}$/ });
      await cost.waitFor();
      const [, id] = /request=(.*)$/.exec((await cost.getAttribute('href'))!)!;
      const { pathname } = new URL(account);
      const { data } = await told<{ data: { charged: string; outcome: string }[] }>(
        `${pathname.replace('/dashboard/', '')}/requests?id=${id}`,
      );
      expect(data).toHaveLength(1);
      expect(Number(data[0]!.charged)).toBeGreaterThan(0);
      expect(nano(await cost.innerText())).toBe(nano(data[0]!.charged));
      return { id: id!, ...data[0]! };
    };
    const nano = (credits: string): bigint => {
      const [whole, decimals = ''] = credits.split('.');
      return BigInt(whole! + decimals.padEnd(9, '0'));
    };

    it('has two models answer side by side, each with what it took and cost', async () => {
      await page.getByRole('link', { name: 'Playground' }).click();
      await page.getByText('Try a model').waitFor();
      await page.getByText('Live', { exact: true }).click();
      await choose('Model', 'sandbox-chat');
      await page.getByRole('button', { name: 'Compare' }).click();
      await choose('Model 2', 'sandbox-omni');
      await page.getByLabel('Max tokens').fill('30');
      await page.getByLabel('System prompt').fill('You like the weather.');
      await ask('Tell me about the weather.');
      const [chat, omni] = [answerOf('sandbox-chat'), answerOf('sandbox-omni')];
      const charges = [await chargedFor(chat), await chargedFor(omni)].map(({ charged }) => nano(charged));
      expect(charges[0]).not.toBe(charges[1]);
      expect(await omni.innerText()).toMatch(/First token\s+[\d.]+ m?s\s+Speed\s+(–|[\d.]+ tokens\/s)\s+Tokens\s+\d+ in, \d+ out/);
      const [left, right] = [(await chat.boundingBox())!, (await omni.boundingBox())!];
      expect([left.y, left.x + left.width <= right.x]).toEqual([right.y, true]);
      const [, total] = /This conversation: (\S+) credits/.exec(await page.getByText('This conversation').innerText())!;
      expect(nano(total!)).toBe(charges[0]! + charges[1]!);
    });

    it('stops a model, which the gateway leaves, and shows what that has cost', async () => {
      upstream.replies({
        headers: { 'content-type': 'text/event-stream' },
        body: chatEvents([{ index: 0, delta: { role: 'assistant', content: 'This is the beginning' }, finish_reason: null }]),
        ending: 'stall',
      });
      await begin('vendor-sight');
      const asked = upstream.nextRequest();
      await ask('Go on and on.');
      const { closed } = await asked;
      const answer = answerOf('vendor-sight');
      await answer.getByText('This is the beginning').waitFor();
      expect(await answer.getAttribute('aria-busy')).toBe('true');
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      await answer.getByText('Stopped').waitFor();
      await closed;
      expect((await chargedFor(answer)).outcome).toBe('client_left');
      expect(await seriousViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Send' }).waitFor();
    });

    it('shows texts of everybody as texts', async () => {
      const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script> [a](javascript:alert(1))';
      upstream.replies({ headers: { 'content-type': 'text/event-stream' }, body: streamOf(`${hostile}\n\`\`\`html\n${hostile}\n\`\`\``) });
      await begin('vendor-sight');
      await ask(hostile);
      await chargedFor(answerOf('vendor-sight'));
      expect(await page.getByText(hostile).count()).toBe(3);
      expect(await page.locator('#content img, #content script, #content a[href^=javascript]').count()).toBe(0);
      expect(await page.title()).toBe('Playground · Switchyard');
      await page.getByRole('button', { name: 'Conversations' }).click();
      await page.getByRole('dialog').getByText(hostile.slice(0, 60)).waitFor();
      await page.keyboard.press('Escape');
    });

    it('sends an image, tools and a schema, shows a call, and sends its result', async () => {
      const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } };
      upstream.replies({
        headers: { 'content-type': 'text/event-stream' },
        body: `${chatEvents(
          [{ index: 0, delta: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: null }],
          [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
        )}data: [DONE]\n\n`,
      });
      await begin('vendor-sight');
      await page.getByRole('button', { name: 'Insert an example' }).click();
      await page.getByRole('combobox', { name: 'Form of the answer' }).click();
      await page.getByRole('option', { name: 'JSON of a schema' }).click();
      const picture = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      );
      const file = { name: 'dot.png', mimeType: 'image/png', buffer: picture };
      await page.getByLabel('Images', { exact: true }).setInputFiles([file, { ...file, name: 'dot.svg', mimeType: 'image/svg+xml' }]);
      await page.getByText('Images are PNG, JPEG, WebP or GIF.').waitFor();
      await page.getByAltText('dot.png').waitFor();
      await ask('What is the weather there?');
      const answer = answerOf('vendor-sight');
      await answer.getByText('get_weather', { exact: true }).waitFor();
      expect(await answer.getByLabel('Code', { exact: true }).innerText()).toBe('{\n  "city": "Bern"\n}');
      expect(await seriousViolations(page)).toEqual([]);
      const [sent] = upstream.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
      expect(sent).toMatchObject({
        messages: [
          { role: 'system' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is the weather there?' },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${picture.toString('base64')}` } },
            ],
          },
        ],
        tools: [{ type: 'function', function: { name: 'get_weather' } }],
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { required: ['title', 'tags'] } } },
      });
      upstream.replies({ headers: { 'content-type': 'text/event-stream' }, body: streamOf('{"title":"Sunny","tags":[]}') });
      await answer.getByLabel('Result of get_weather').fill('{"temperature":21}');
      await answer.getByRole('button', { name: 'Send the result' }).click();
      await page.getByText('{"title":"Sunny","tags":[]}').waitFor();
      const [again] = upstream.requests.map(({ body }) => JSON.parse(body) as { messages: object[] });
      expect(again!.messages.slice(2)).toMatchObject([
        { role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'get_weather' } }] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"temperature":21}' },
      ]);
      await page.getByRole('button', { name: 'Clear all' }).click();
    });

    it('says in place why a model has not answered, and asks it again', async () => {
      await begin('sandbox-overloaded');
      await ask('Are you there?');
      const answer = answerOf('sandbox-overloaded');
      const alert = answer.getByRole('alert');
      await alert.waitFor();
      expect(await alert.innerText()).toMatch(/[0-9a-f]{8}-[0-9a-f-]{27}/);
      expect(await seriousViolations(page)).toEqual([]);
      await choose('Model', 'sandbox-chat');
      await answer.getByRole('button', { name: /again/ }).click();
      await chargedFor(answerOf('sandbox-chat'));
    });

    it('writes code that works with a key, and goes on with a text', async () => {
      const code = async (tab: string): Promise<string> => {
        await page.getByRole('button', { name: 'Code', exact: true }).click();
        await page.getByRole('tab', { name: tab }).click();
        const text = await page.getByRole('dialog').getByLabel('Code', { exact: true }).innerText();
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'hidden' });
        expect(text).toContain('YOUR_TEST_KEY');
        return text.replace('YOUR_TEST_KEY', testKey);
      };
      const run = async (command: string, ...args: string[]) => (await promisify(execFile)(command, args, { cwd: walk.program })).stdout;
      await page.getByText('Test', { exact: true }).click();
      await begin('sandbox-chat');
      await ask(`What's "weather" \\ $HOME?`);
      await chargedFor(answerOf('sandbox-chat'));
      expect(JSON.parse(await run('sh', '-c', `${await code('curl')} -sS`))).toMatchObject({ object: 'chat.completion' });
      writeFileSync(join(walk.program, 'snippet.mjs'), await code('JavaScript'));
      expect((await run(execPath, 'snippet.mjs')).trim()).not.toBe('');

      await page.getByText('Completion', { exact: true }).click();
      await choose('Model', 'sandbox-text');
      await page.getByLabel('Text to go on with').fill('Once upon a time');
      await page.keyboard.press('Enter');
      await chargedFor(answerOf('sandbox-text'));
      expect(JSON.parse(await run('sh', '-c', `${await code('curl')} -sS`))).toMatchObject({ object: 'text_completion' });
      await page.getByText('Chat', { exact: true }).click();
    });

    it('keeps conversations in the browser, until they are deleted', async () => {
      await page.reload();
      await answerOf('sandbox-text').waitFor();
      await page.getByRole('button', { name: 'Conversations' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: /^Are you there/ }).click();
      await answerOf('sandbox-chat').waitFor();
      await page.getByRole('button', { name: 'Conversations' }).click();
      const before = await dialog.getByRole('listitem').count();
      await dialog.getByRole('button', { name: 'Delete Are you there?' }).click();
      await page.getByText('Try a model').waitFor();
      await expect(dialog.getByRole('listitem').count()).resolves.toBe(before - 1);
      await dialog.getByRole('button', { name: 'Delete all' }).click();
      await dialog.getByRole('button', { name: /for ever/ }).click();
      await dialog.getByText('None yet').waitFor();
      await page.keyboard.press('Escape');
      await page.reload();
      await page.getByText('Try a model').waitFor();
      await choose('Model', 'sandbox-chat');
      await ask('Tell me about the weather.');
      await chargedFor(answerOf('sandbox-chat'));
    });

    it('tells viewers why they may not', async () => {
      const { csrf_token } = await told<{ csrf_token: string }>('session');
      const path = `${new URL(account).pathname.replace('/dashboard/', '/admin/v1/')}/invitations`;
      const { link } = await page.evaluate<{ link: string }>(`fetch('${path}', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-csrf-token': '${csrf_token}' },
        body: JSON.stringify({ email: 'viewer@example.com', role: 'viewer' }),
      }).then((answer) => answer.json())`);
      const other = await walk.browser.newContext();
      const theirs = await other.newPage();
      await theirs.goto(link);
      await theirs.getByLabel('Your name').fill('Vera');
      await theirs.getByLabel('Password', { exact: true }).fill(OWNERS_PASSWORD);
      await theirs.getByRole('button', { name: 'Join' }).click();
      await theirs.getByRole('link', { name: 'Playground' }).click();
      await theirs.getByText('Viewers do not generate').waitFor();
      await other.close();
    });
  });

  it.each(['overview', 'keys', 'requests', 'models', 'playground', 'credits'])(
    'is usable by everybody at %s, wide and narrow, light and dark',
    (name) => walk.looksWell(page, `${account}/${name}`),
  );

  it('signs out, and in again with the password', async () => {
    await page.getByRole('button', { name: /preferences and sign out/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').fill('owner@localhost');
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(OWNERS_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
});
