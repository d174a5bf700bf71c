import { PROVIDER_BRAND, PROVIDER_CONTRACT_VERSION } from '../contract/model-provider.js';
import { parsePrice } from '../../common/prices/credits.js';
import { abilityNames, otherAbilities } from '../../wire/model.js';
import { describeResponses } from './describe-responses.js';
import { describeConnection } from './describe-connection.js';
import { describeEmbeddings } from './describe-embeddings.js';
import { describeFailures } from './describe-failures.js';
import { describeEntry } from './describe-entry.js';
import { describeRequests } from './describe-requests.js';
import { describeProbe } from './describe-probe.js';
import type { ProviderSuite } from './provider-suite.js';
import { SuiteContext } from './suite-context.js';

/**
 * Checks what every provider has to do (model-provider.ts), against a loopback upstream that replays the vendor's bytes
 * and misbehaves.
 */
export function describeProvider(suite: ProviderSuite): void {
  describe(`${suite.name} as a provider`, () => {
    const context = new SuiteContext(suite);
    beforeAll(() => context.start());
    afterAll(() => context.stop());

    describe('itself', () => {
      context.test('has the brand, an id and a name', async () => {
        const { provider } = context;
        expect(provider[PROVIDER_BRAND]).toBe(PROVIDER_CONTRACT_VERSION);
        expect(provider.id).toMatch(/^[a-z0-9][a-z0-9-]*$/);
        expect(provider.name.trim()).not.toBe('');
      });

      context.test('lists models that are complete', async () => {
        const models = await context.models();
        expect(models.length).toBeGreaterThan(0);
        expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
        for (const model of models) {
          expect(model.id).not.toBe('');
          expect(Number.isSafeInteger(model.created)).toBe(true);
          expect(model.contextLength).toBeGreaterThan(0);
          expect(model.maxTokens).toBeGreaterThan(0);
          expect(model.maxTokens).toBeLessThanOrEqual(model.contextLength);
          expect([...new Set([...Object.keys(model.capabilities), ...otherAbilities])].sort()).toEqual(abilityNames.toSorted());
          expect(Object.values(model.capabilities).every((flag) => typeof flag === 'boolean')).toBe(true);
          expect(model.parameters.length).toBeGreaterThan(0);
          if (model.price) expect(parsePrice(model.price).prompt).toBeGreaterThanOrEqual(0n);
        }
      });
    });

    describeProbe(context);
    describeEntry(context);
    describeRequests(context);
    describeResponses(context);
    describeFailures(context);
    describeConnection(context);
    describeEmbeddings(context);
  });
}
