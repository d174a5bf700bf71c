import type { GenerationChunk } from '../../wire/generation.js';
import type { ModelProvider } from '../contract/model-provider.js';
import { testCall } from './call.js';
import { readAll } from './collect.js';
import { LoopbackProxy } from './loopback-proxy.js';
import type { RecordedRequest } from './loopback-upstream.js';
import type { SuiteContext } from './suite-context.js';
import { API_KEY } from './suite-entry.js';
import { passSecond } from './undici-time.js';

/** Milliseconds of a timeout that is to fire, and those in which it has fired on a busy machine, too. */
const SHORT = 100;
const SOON = 8_000;

/** Where nobody listens; only a proxy can make something of it. */
const NOBODY = 'http://127.0.0.1:9';

const long = { connect: 30_000, first_byte: 30_000, idle: 30_000, total: 60_000 };

/** What the entry of the configuration says holds for every request: for an answer, the list and the probe. */
export function describeEntry(context: SuiteContext): void {
  const { suite } = context;
  const at = (entry: Readonly<Record<string, unknown>>, base = `${context.upstream.origin}/v1`): ModelProvider =>
    context.other(base, entry);
  const ask = (provider: ModelProvider): Promise<GenerationChunk[]> => readAll(provider.generate(context.request(true), testCall()));
  const [fixture] = suite.fixtures;
  const answers = (): void =>
    context.upstream.replies(context.reply(fixture?.stream !== undefined, fixture?.stream ?? fixture?.whole ?? ''));

  const endsSoon = async (kind: RegExp, asked: Promise<unknown>): Promise<void> => {
    const since = performance.now();
    const error: unknown = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: 'ProviderError', kind: expect.stringMatching(kind) as string });
    expect(performance.now() - since).toBeLessThan(SOON);
  };

  /** What is asked runs into a timeout once the upstream has said all that it says. */
  const runsOut = async (kind: RegExp, begin: () => Promise<unknown>): Promise<void> => {
    const asked = context.upstream.nextRequest();
    const ended = endsSoon(kind, begin());
    const { sent } = await asked;
    await passSecond(sent);
    await ended;
  };

  /** The requests for an answer and for a probe, and the one for the list where there is one. */
  const allRequests = async (provider: ModelProvider): Promise<RecordedRequest[]> => {
    answers();
    await ask(provider);
    const all = [...context.upstream.requests];
    await context.models(provider);
    all.push(...context.upstream.requests);
    context.lists();
    await context.probe(provider);
    return [...all, ...context.upstream.requests];
  };

  describe('entry', () => {
    const timeouts: [string, Record<string, number>, () => void][] = [
      ['first_byte', { first_byte: SHORT }, () => context.upstream.replies({ ending: 'silent' })],
      ['idle', { idle: SHORT }, () => context.upstream.replies({ ...context.reply(true, context.events(1)), ending: 'stall' })],
      ['total', { total: SHORT }, () => context.upstream.replies({ ...context.reply(true, context.events(1)), endless: true, pace: 20 })],
    ];
    for (const [name, short, replies] of timeouts) {
      context.test(`its timeout ${name} holds`, async () => {
        replies();
        await runsOut(/timeout$/, () => ask(at({ timeouts: { ...long, ...short } })));
      });
    }

    context.test('its timeouts hold for a probe', async () => {
      context.upstream.replies({ ending: 'silent' });
      await runsOut(/^timeout$/, () => context.probe(at({ timeouts: { ...long, first_byte: SHORT } })));
    });

    context.test('its proxy is used for everything', async () => {
      const proxy = await LoopbackProxy.start();
      try {
        proxy.leadsTo = Number(new URL(context.upstream.origin).port);
        const provider = at({ proxy: `http://127.0.0.1:${proxy.port}` }, `${NOBODY}/v1`);
        const requests = await allRequests(provider);
        expect(requests.length).toBeGreaterThan(1);
        expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set([new URL(NOBODY).host]));
      } finally {
        await proxy.stop();
      }
    });

    context.test('it reaches link-local addresses only where it says so', async () => {
      const proxy = await LoopbackProxy.start();
      try {
        proxy.leadsTo = Number(new URL(context.upstream.origin).port);
        const entry = { proxy: `http://127.0.0.1:${proxy.port}` };
        const base = 'http://169.254.169.254/v1';
        await endsSoon(/^unreachable$/, ask(at(entry, base)));
        await endsSoon(/^unreachable$/, context.probe(at(entry, base)));
        expect(proxy.asked).toHaveLength(0);
        expect((await allRequests(at({ ...entry, allow_link_local: true }, base))).length).toBeGreaterThan(1);
      } finally {
        await proxy.stop();
      }
    });

    context.test('it reaches this machine only where it may', async () => {
      answers();
      const provider = at({ allow_private_addresses: false });
      await endsSoon(/^unreachable$/, ask(provider));
      await endsSoon(/^unreachable$/, context.probe(provider));
      expect(context.upstream.requests).toHaveLength(0);
    });

    context.test('its headers are those of every request', async () => {
      const requests = await allRequests(at({ headers: { 'X-Suite-Header': 'yes' } }));
      expect(requests.map(({ headers }) => headers['x-suite-header'])).toEqual(requests.map(() => 'yes'));
    });

    context.test('its address has a path and a query of its own', async () => {
      const requests = await allRequests(at({}, `${context.upstream.origin}/deep/v1?tenant=7`));
      for (const { path } of requests) expect(path).toMatch(/^\/deep\/.*[?&]tenant=7(&|$)/);
    });

    context.test('its key travels with every request, and with no other', async () => {
      const inHeader = ({ headers }: RecordedRequest, key: string) => JSON.stringify(headers).includes(key);
      const carries = suite.carriesKey ? suite.carriesKey.bind(suite) : inHeader;
      const other = `${API_KEY.slice(0, -4)}0000`;
      for (const request of await allRequests(at({}))) {
        expect(await carries(request, API_KEY)).toBe(true);
        expect(await carries(request, other)).toBe(false);
      }
      for (const request of await allRequests(at({ api_key: other }))) {
        expect(await carries(request, other)).toBe(true);
        expect(await carries(request, API_KEY)).toBe(false);
      }
    });

    context.test('it names the models, their prices and limits', async () => {
      const models = { 'suite-model': { pricing: { prompt: '0.25', completion: '0.5' }, context_length: 1_000, max_tokens: 100 } };
      const offered = await context.models(at({ models, prefix: 'mine/' }));
      expect(offered).toMatchObject([
        { id: 'mine/suite-model', price: { prompt: '0.25', completion: '0.5' }, contextLength: 1_000, maxTokens: 100 },
      ]);
      expect(offered).toHaveLength(1);
    });
  });
}
