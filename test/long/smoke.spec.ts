import OpenAI from 'openai';
import { useServer } from '../support/started.js';
import { describeChromium } from '../support/chromium.js';
import { DashboardWalk } from '../support/dashboard-walk.js';
import { until } from '../support/until.js';

describeChromium('The dashboard, at first sight', () => {
  const walk = useServer(() => DashboardWalk.start());

  it('lets the first person sign in and make a key, and shows what was asked with it', async () => {
    const page = await walk.open();
    const account = new URL(await walk.signInFirst(page)).pathname.replace('/dashboard/', '');
    await page.getByText('Test', { exact: true }).click();
    await page.getByRole('button', { name: 'Make a test key' }).click();
    await page.getByText('The key is in the snippets below').waitFor();
    const [apiKey] = /sy-test-\w+/.exec(await page.getByLabel('Code', { exact: true }).innerText())!;
    const messages = [{ role: 'user' as const, content: 'Say hello.' }];
    await new OpenAI({ baseURL: walk.url, apiKey }).chat.completions.create({ model: 'sandbox-chat', messages });
    const recorded = `fetch('/admin/v1/${account}/requests').then((answer) => answer.json()).then(({ data }) => data.some(({ status }) => status === 200))`;
    await until(() => page.evaluate<boolean>(recorded), 'the record of the request');
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByRole('row').filter({ hasText: 'sandbox-chat' }).first().waitFor();
    expect(walk.wrong).toEqual([]);
  });
});
