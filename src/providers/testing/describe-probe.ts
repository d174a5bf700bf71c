import type { ProviderErrorKind } from '../contract/provider-error.js';
import type { SuiteContext } from './suite-context.js';

/** A probe tells what a request would meet, and costs nothing. */
export function describeProbe(context: SuiteContext): void {
  const json = (body: string) => ({ headers: { 'content-type': 'application/json' }, body });
  const probe = (abort?: AbortController): Promise<void> => context.probe(context.provider, abort?.signal);

  describe('probe', () => {
    context.test('asks for nothing that costs', async () => {
      context.upstream.replies(json(context.suite.modelList ?? '{"object":"list","data":[]}'));
      await probe();
      expect(context.upstream.requests.length).toBeGreaterThan(0);
      for (const { method } of context.upstream.requests) expect(method).toBe('GET');
    });

    context.test('says what is wrong', async () => {
      const wrong: [number, ProviderErrorKind][] = [
        [401, 'authentication'],
        [503, 'overloaded'],
      ];
      for (const [status, kind] of wrong) {
        context.upstream.replies({ ...json(context.suite.errorBody(status, 'No')), status });
        await expect(probe()).rejects.toMatchObject({ name: 'ProviderError', kind, status });
      }
      context.upstream.replies({ ending: 'reset' });
      await expect(probe()).rejects.toMatchObject({ name: 'ProviderError', kind: 'unreachable' });
    });

    context.test('ends when it is given up', async () => {
      context.upstream.replies({ ending: 'silent' });
      const asked = context.upstream.nextRequest();
      const abort = new AbortController();
      const ended = probe(abort).catch((error: unknown) => error);
      const { closed } = await asked;
      abort.abort();
      expect(await ended).toMatchObject({ name: 'ProviderError' });
      await closed;
    });
  });
}
