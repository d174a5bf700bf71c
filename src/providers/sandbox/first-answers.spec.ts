import { globSync, readFileSync } from 'node:fs';
import { startupBanner } from '../../process/startup-banner.js';
import { testCall } from '../testing/call.js';
import { readAll } from '../testing/collect.js';
import { SandboxProvider } from './sandbox.provider.js';

const provider = new SandboxProvider();
afterAll(() => provider.onApplicationShutdown());

const root = new URL('../../../', import.meta.url).pathname;
const read = (path: string) => readFileSync(root + path, 'utf8');

/** Words of which an answer to each first question has one. */
const subjects: Readonly<Record<string, RegExp>> = {
  'Tell me about the weather.': /\b(rain|wind|clouds?)/,
  'Explain tides to a child.': /\b(moon|tides?)\b/,
  'Write a haiku about the night train.': /\btrain\b/,
  'Which three questions should I ask before I buy a house?': /\bhouse\b/,
};

/** What a first user is told to ask the sandbox: by the start, by the documents, and in the playground. */
function firstQuestions(): Set<string> {
  const starter = { account: { name: 'starter', id: 'a' }, credits: 1n, liveKey: 'l', testKey: 't', owner: { token: 'o' } };
  const banner = startupBanner({ address: 'http://h/v1', pages: 'http://h', nobody: false, providers: [] }, starter as never);
  const blocks = globSync(['README.md', 'src/**/README.md'], { cwd: root }).flatMap((path) => read(path).split(/^```/m));
  const texts = [banner, ...blocks].filter((text) => text.includes('sandbox-chat'));
  const asked = texts.flatMap((text) => [...text.matchAll(/"?content"?: *["']([^"']+)["']/g)].map(([, content]) => content!));
  const [, suggested] = /chat: \[(.*)\]/.exec(read('src/dashboard/web/pages/playground/bench.tsx'))!;
  return new Set([...asked, ...suggested!.matchAll(/'([^']+)'/g).map(([, question]) => question!)]);
}

async function answers(content: string): Promise<string[]> {
  const request = { operation: 'chat', model: 'm', stream: false, n: 20, messages: [{ role: 'user', content }] } as const;
  const [chunk] = await readAll(provider.generate(request, testCall({ upstreamModel: 'sandbox-chat' })));
  return chunk!.choices.map(({ delta, finish_reason: reason }) => `${delta!.content} (${reason})`);
}

const wholeSentences = /^\p{Lu}[^\ufffd]*[.!?] \(stop\)$/u;

describe('the first questions', () => {
  it('are those whose subjects this spec knows', () => expect([...firstQuestions()].sort()).toEqual(Object.keys(subjects).sort()));

  it.each(Object.entries(subjects))('%s is answered on its subject in whole sentences, twenty times', async (question, subject) => {
    for (const answer of await answers(question)) {
      expect(answer).toMatch(wholeSentences);
      expect(answer).toMatch(subject);
    }
  });
});

describe('any other question', () => {
  it.each(['How long is a piece of string?', 'Wie geht es dir? 😀', '', 'What is 2 - 2?'])(
    '%j is told that this is a sandbox',
    async (question) => {
      for (const answer of await answers(question)) {
        expect(answer).toMatch(wholeSentences);
        expect(answer).toContain('sandbox');
      }
    },
  );
});
