import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import type { Locator, Page } from 'playwright-core';
import { LoopbackUpstream } from '../../src/providers/testing/loopback-upstream.js';
import { describeChromium, seriousViolations } from '../support/chromium.js';
import { DashboardWalk, OWNERS_PASSWORD } from '../support/dashboard-walk.js';
import { until } from '../support/until.js';
import { someOf } from '../support/long-form.js';
import { chatEvents, streamOf } from '../support/openai-bytes.js';

/** Bytes of everything that a browser loads for the first page that somebody sees, as they are sent. */
const MAX_FIRST_LOAD = 250_000;

/** Of the page; browsers call less than 0.1 good. */
const MAX_MOVED = 0.05;

describeChromium('The pages of the dashboard', () => {
  let walk: DashboardWalk;
  let upstream: LoopbackUpstream;
  let url: string;
  let page: Page;
  /** The address of the account's pages. */
  let account: string;
  let testKey: string;
  /** Nano-credits that there were before anything was asked with live ones. */
  let balance: bigint;

  beforeAll(async () => {
    upstream = await LoopbackUpstream.start();
    const sight = {
      pricing: { prompt: 0.5, completion: 1.5 },
      context_length: 100_000,
      max_tokens: 100,
      capabilities: { vision: true, function_calling: true, json_mode: true },
    };
    const vendor = { base_url: upstream.origin, api_key: 'k', input_ceilings: { image: 1_000 }, models: { 'vendor-sight': sight } };
    walk = await DashboardWalk.start({ providers: { vendor }, webhooks: { allow_private_addresses: true, allow_http: true } });
    ({ url } = walk);
    page = await walk.open(/status of (401|503)/, { permissions: ['clipboard-read', 'clipboard-write'] });
  });
  afterAll(async () => {
    await walk.stop();
    await upstream.stop();
  });
  // What a page refuses to run or to show is told on its console.
  afterEach(() => expect(walk.wrong).toEqual([]));

  /** What the administration API answers to the page. */
  const told = <T>(path: string) => page.evaluate<T>(`fetch('/admin/v1/${path}').then((answer) => answer.json())`);
  /** The same, of what the account has. */
  const ofAccount = <T>(path: string) => told<T>(`${new URL(account).pathname.replace('/dashboard/', '')}/${path}`);
  const nano = (credits: string): bigint => {
    const [whole, decimals = ''] = credits.replaceAll(',', '').split('.');
    return BigInt(whole! + decimals.padEnd(9, '0'));
  };
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);
  const run = async (command: string, ...args: string[]) => (await promisify(execFile)(command, args, { cwd: walk.program })).stdout;
  /** Runs what a page shows as a program. */
  const runScript = async (script: string) => {
    writeFileSync(join(walk.program, 'snippet.mjs'), script);
    return run(execPath, 'snippet.mjs');
  };
  const visit = (name: string) => page.getByRole('link', { name }).click();
  const tile = (name: string) => page.getByRole('group', { name, exact: true });
  /** The credits that a tile shows, once it is exact. */
  const creditsOf = async (name: string): Promise<bigint> => {
    const amount = tile(name).getByText(/^[\d,]+\.\d+$/);
    return nano(await amount.first().innerText());
  };

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
    expect(JSON.parse(await run('sh', '-c', `${shown} --silent --fail-with-body`))).toMatchObject({ object: 'chat.completion' });
  });

  it('makes a key with a budget, rotates it and revokes it', async () => {
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('<b>Nightly</b> batch');
    await dialog.getByRole('button', { name: /^Budgets/ }).click();
    await dialog.getByLabel('Per day').fill('a lot');
    await dialog.getByRole('button', { name: /^Budgets/ }).click();
    await dialog.getByLabel('Per day').waitFor({ state: 'hidden' });
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await page.locator('[aria-invalid=true]:focus').waitFor();
    await page.locator(':focus').fill('0.5');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const made = await page.getByTestId('made-key').innerText();
    expect(made).toMatch(/^sy-test-\w{32}$/);
    await dialog.getByRole('button', { name: 'Copy key' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(made);
    const snippets = new Map<string, string>();
    for (const tab of ['curl', 'Python', 'JavaScript', 'AI SDK', 'LangChain', '.env']) {
      await dialog.getByRole('tab', { name: tab, exact: true }).click();
      snippets.set(tab, await dialog.getByLabel('Code', { exact: true }).innerText());
      expect(snippets.get(tab)).toContain(made);
      expect(snippets.get(tab)).toContain(url);
    }
    expect(JSON.parse(await run('sh', '-c', `${snippets.get('curl')} -sS`))).toMatchObject({ object: 'chat.completion' });
    for (const tab of ['JavaScript', 'AI SDK']) expect((await runScript(snippets.get(tab)!)).trim()).not.toBe('');
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
    await page.getByRole('switch', { name: 'Auto-refresh' }).press('Space');
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
    expect(price).toMatch(/Charged\s+0\.000\d+/);
    // It was not streamed.
    expect(await drawer.getByText('Speed', { exact: true }).locator('xpath=..').innerText()).toMatch(/–$/);
    await page.keyboard.press('Escape');
  });

  it('shows credits to the billionth where one asks for it', async () => {
    await page.getByRole('button', { name: /preferences and sign out/ }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Credits to the billionth' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Live').click();
    await visit('Credits');
    balance = await creditsOf('To spend');
    expect(balance).toBeGreaterThan(0n);
  });

  describe('the playground', () => {
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
      const cost = answer.getByTestId('cost').filter({ hasText: /\d\.\d+$/ });
      await cost.waitFor();
      const [, id] = /request=(.*)$/.exec((await cost.getAttribute('href'))!)!;
      const { data } = await ofAccount<{ data: { charged: string; outcome: string }[] }>(`requests?id=${id}`);
      expect(data).toHaveLength(1);
      expect(Number(data[0]!.charged)).toBeGreaterThan(0);
      expect(nano(await cost.innerText())).toBe(nano(data[0]!.charged));
      return { id: id!, ...data[0]! };
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
      await page.getByText('Test', { exact: true }).click();
      await begin('sandbox-chat');
      await ask(`What's "weather" \\ $HOME?`);
      await chargedFor(answerOf('sandbox-chat'));
      expect(JSON.parse(await run('sh', '-c', `${await code('curl')} -sS`))).toMatchObject({ object: 'chat.completion' });
      expect((await runScript(await code('JavaScript'))).trim()).not.toBe('');

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

  describe('figures', () => {
    interface Asked {
      request_id: string;
      model: string;
      status: number;
      error_code: string | null;
      created_at: string;
      charged: string | null;
      prompt_tokens: number | null;
      completion_tokens: number | null;
    }
    /** What was asked with live credits. */
    const asked = async () => (await ofAccount<{ data: Asked[] }>('requests?environment=live&limit=200')).data;
    const chargedFor = (requests: readonly Asked[]) => sum(requests.map(({ charged }) => nano(charged ?? '0')));

    it('are those of the requests, on the overview and in the balance', async () => {
      await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Live').click();
      await visit('Overview');
      await page.getByText('30d', { exact: true }).click();
      const requests = await asked();
      const spent = chargedFor(requests);
      await expect(creditsOf('Spend')).resolves.toBe(spent);
      await expect(creditsOf('Balance')).resolves.toBe(balance - spent);
      const tokens = requests.reduce((all, one) => all + (one.prompt_tokens ?? 0) + (one.completion_tokens ?? 0), 0);
      const failed = requests.filter(({ status }) => status >= 400).length;
      expect(await tile('Requests').innerText()).toContain(`\n${requests.length}\n`);
      expect(await tile('Tokens').innerText()).toContain(`\n${tokens.toLocaleString('en')}\n`);
      expect(await tile('Errors').innerText()).toContain(`\n${failed} ${failed === 1 ? 'request' : 'requests'}`);

      const causes = new Set(requests.flatMap(({ error_code }) => error_code ?? []));
      const legend = await page.getByRole('region', { name: 'Errors', exact: true }).getByRole('listitem').allInnerTexts();
      expect(new Set(legend.map((cause) => cause.toLowerCase().replaceAll(' ', '_')))).toEqual(causes);

      const spend = page.getByRole('region', { name: 'Spend' });
      const spenders = new Set(requests.filter(({ charged }) => Number(charged) > 0).map(({ model }) => model));
      expect(new Set(await spend.getByRole('listitem').allInnerTexts())).toEqual(spenders);
      await spend.getByRole('button', { name: 'Spend: as a table' }).click();
      const [head, ...rows] = (await spend.getByRole('row').allInnerTexts()).map((row) => row.split(/\s*\t\s*/));
      for (const [column, model] of head!.entries()) {
        if (column === 0) continue;
        const ofModel = model === 'In all' ? requests : requests.filter((one) => one.model === model);
        expect([model, sum(rows.map((row) => nano(row[column]!)))]).toEqual([model, chargedFor(ofModel)]);
      }
      expect(head!.length).toBe(new Set(requests.filter(({ charged }) => charged).map(({ model }) => model)).size + 2);
      await spend.getByRole('button', { name: 'Spend: as a chart' }).click();
      const chart = spend.getByRole('img', { name: 'Spend over time' });
      const { width } = (await chart.boundingBox())!;
      await chart.hover({ position: { x: width - 4, y: 60 } });
      expect(await spend.getByRole('tooltip').innerText()).toContain(rows[0]!.at(-1));
    });

    it('are in files of CSV and of JSON lines, and how far a long one is can be seen', async () => {
      await visit('Requests');
      const all = (await asked()).map(({ request_id }) => request_id);
      const save = async (form: string, meanwhile: () => Promise<void> = async () => undefined) => {
        await page.getByRole('button', { name: 'Export' }).click();
        const coming = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: form }).click();
        await meanwhile();
        const file = await coming;
        return {
          name: file.suggestedFilename(),
          lines: readFileSync(await file.path(), 'utf8')
            .trimEnd()
            .split(/\r?\n/),
        };
      };
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Network.enable');
      const throttle = (downloadThroughput: number) =>
        devtools.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput, uploadThroughput: -1 });
      await throttle(2_000);
      const json = await save('JSON lines', async () => {
        await page.getByRole('progressbar', { name: /^Exported [1-9]\d? percent/ }).waitFor({ state: 'attached' });
        await page
          .getByRole('alert')
          .getByText(new RegExp(`^\\d+ of ${all.length}$`))
          .waitFor();
        await throttle(-1);
      });
      expect(json.name).toBe('requests.jsonl');
      expect(json.lines.map((line) => (JSON.parse(line) as Asked).request_id)).toEqual(all);
      const csv = await save('CSV');
      expect(csv.name).toBe('requests.csv');
      expect(csv.lines.slice(1).map((line) => line.split(',')[0])).toEqual(all);
      await page.getByText(`${all.length} requests are saved`).first().waitFor();
    });

    it('have the times of the reader, wherever they are', async () => {
      const there = await walk.beside(page, { timezoneId: 'Asia/Kolkata', locale: 'en-US' });
      const [first] = await asked();
      await there.goto(`${account}/requests?request=${first!.request_id}`);
      const shown = await there.getByRole('dialog').getByText('Time', { exact: true }).locator('xpath=..').innerText();
      const time = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'Asia/Kolkata' });
      expect(shown.split(/\s+/).slice(1)).toEqual(time.format(new Date(first!.created_at)).split(/\s+/));
      await there.context().close();
    });

    it('are only of those that one looks for, by outcome and by project', async () => {
      await visit('Requests');
      await page.getByRole('combobox', { name: 'Outcome' }).click();
      await page.getByRole('option', { name: /^503/ }).click();
      await page
        .getByRole('row', { name: /sandbox-overloaded/ })
        .first()
        .waitFor();
      await page.getByRole('row', { name: /sandbox-omni/ }).waitFor({ state: 'detached' });
      expect(new URL(page.url()).searchParams.get('status')).toBe('503');
      await page.goto(`${account}/requests?project=nothing`);
      await page.getByText('No request matches').waitFor();
    });
  });

  describe('models', () => {
    const shown = async () => (await page.getByRole('table', { name: 'Models' }).getByRole('row').allInnerTexts()).slice(1);
    const prices = async () => (await shown()).map((row) => Number(row.split('\t')[4]!.replace('Free', '0').replaceAll(',', '')));
    const sorted = (sign: 1 | -1) =>
      until(async () => {
        const all = await prices();
        return all.every((price, nth) => nth === 0 || sign * (price - all[nth - 1]!) >= 0);
      }, 'the order of the prices');
    const compare = async (...ids: string[]) => {
      for (const id of ids)
        await page
          .getByRole('checkbox', { name: `Compare ${id}`, exact: true })
          .filter({ visible: true })
          .click();
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Compare models' });
      for (const id of ids) await dialog.getByText(id, { exact: true }).first().waitFor();
      expect(await dialog.innerText()).toMatch(/Prompt, per million\s+(\S+:\s+)?0\.50\s+(\S+:\s+)?500\.00/);
      expect(await seriousViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Clear', exact: true }).click();
    };

    it('are sorted, filtered and compared', async () => {
      await visit('Models');
      await page.getByRole('columnheader', { name: 'Prompt' }).getByRole('button').click();
      await sorted(1);
      await page.getByRole('columnheader', { name: 'Prompt' }).getByRole('button').click();
      await sorted(-1);
      expect((await shown())[0]).toContain('vendor-sight');
      await compare('sandbox-chat', 'vendor-sight');
      await page.getByLabel('Find a model or provider').fill('vendor');
      await until(async () => (await shown()).length === 1, 'the models of the provider');
    });

    it('are sorted and compared on a phone', async () => {
      await page.setViewportSize({ width: 375, height: 800 });
      await page.goto(`${account}/models`);
      const first = page.getByRole('list', { name: 'Models' }).getByRole('listitem').first();
      await page.getByRole('combobox', { name: 'Order' }).click();
      await page.getByRole('option', { name: 'By price of the completion' }).click();
      await page.getByRole('button', { name: 'Lowest first' }).click();
      await first.getByText('vendor-sight').waitFor();
      await compare('sandbox-chat', 'vendor-sight');
      await page.setViewportSize({ width: 1280, height: 800 });
    });
  });

  it('does not show a balance of 0 where the balance is not known', async () => {
    const credits = /\/credits$/;
    await page.route(credits, (route) => route.fulfill({ status: 503, json: { error: { message: 'Not now.' } } }));
    await visit('Overview');
    await page.reload();
    await tile('Balance').getByText('not known now').waitFor();
    expect(await tile('Balance').innerText()).toMatch(/Balance\s+–/);
    await page.unroute(credits);
  });

  it('tells an address when credits run low, once that was tried', async () => {
    upstream.replies({ status: 204 });
    await visit('Credits');
    await page.getByRole('button', { name: 'Add an alert' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(`${upstream.origin}/low`);
    await dialog.getByLabel('When less than').fill('a few');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.getByText('Credits, such as 25 or 0.5').waitFor();
    await dialog.getByLabel('When less than').fill('0.5');
    await dialog.getByRole('button', { name: 'Add' }).click();
    expect(await dialog.getByLabel('Code', { exact: true }).innerText()).toMatch(/^whsec_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Below 0.50 credits').waitFor();
    await page.getByRole('button', { name: 'Send a test message' }).click();
    await page.getByText('The address answered with 204.').waitFor();
    // Meanwhile the gateway may ask the same address for the models of a provider that was added before.
    const alert = upstream.requests.find(({ path }) => path === '/low');
    expect(alert?.headers['webhook-signature']).toMatch(/^v1,/);
    await page.getByRole('button', { name: 'Remove the alert to' }).click();
    await page.getByText('Nobody is told when credits run low').waitFor();
  });

  const names = ['overview', 'keys', 'requests', 'models', 'playground', 'credits'];

  it.each(someOf(names, 2))('is usable by everybody at %s, wide and narrow, light and dark', (name) =>
    walk.looksWell(page, `${account}/${name}`),
  );

  it.each(['sign-in', ...someOf(names, 3)])('is there with 250 KB at most, and moves little while it comes: %s', async (name) => {
    const fresh = name === 'sign-in' ? await walk.open() : await walk.beside(page);
    const { bytes, moved, fonts } = await walk.firstLoad(fresh, name === 'sign-in' ? `${walk.origin}/dashboard` : `${account}/${name}`);
    expect([name, bytes]).toEqual([name, Math.min(bytes, MAX_FIRST_LOAD)]);
    expect([name, moved]).toEqual([name, Math.min(moved, MAX_MOVED)]);
    expect([name, fonts]).toEqual([name, expect.arrayContaining([expect.stringMatching(/^\/dashboard\/assets\/.*\.woff2$/)])]);
    await fresh.context().close();
  });

  it('signs out, and in again with the password', async () => {
    await page.getByRole('button', { name: /preferences and sign out/ }).click();
    expect(await page.getByRole('menuitem', { name: 'API reference' }).getAttribute('href')).toBe('/docs');
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
