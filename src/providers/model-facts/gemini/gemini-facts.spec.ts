import { parsePrice } from '../../../common/prices/credits.js';
import { factsOf, priceOn, traitsOf } from './gemini-facts.js';
import { geminiModels } from './gemini-models.js';

describe('Gemini models', () => {
  it.each(Object.entries(geminiModels))('%s has a price on every day since its release', (_name, model) => {
    const released = Date.parse(model.released);
    expect(released).toBeLessThan(Date.parse('2100-01-01'));
    for (const day of [model.released, ...model.prices.flatMap(({ from }) => from ?? [])]) {
      const price = priceOn(model, new Date(`${day}T00:00:00Z`));
      expect(parsePrice(price!).prompt).toBeGreaterThan(0n);
      expect(parsePrice(price!).completion).toBeGreaterThan(parsePrice(price!).prompt);
    }
    expect(model.prices[0]?.from).toBeUndefined();
  });

  it('change their price on its day', () => {
    const model = geminiModels['gemini-4-argon']!;
    expect(priceOn(model, new Date('2026-11-30T23:59:59Z'))).toEqual({ prompt: '0.002', completion: '0.01' });
    expect(priceOn(model, new Date('2026-12-01T00:00:00Z'))).toEqual({ prompt: '0.004', completion: '0.02' });
  });

  it('are found by numbered version and path, not by what only begins like them', () => {
    expect(factsOf('publishers/google/models/gemini-3.8-flash-001')).toBe(geminiModels['gemini-3.8-flash']);
    expect(factsOf('gemini-3.5-flash-image')).toBeUndefined();
    expect(factsOf('constructor')).toBeUndefined();
  });

  it.each([
    ['gemini-4-neon', { thinking: { levels: ['LOW', 'MEDIUM', 'HIGH', 'XHIGH'] }, signedCalls: true }],
    ['gemini-3.5-flash-lite', { thinking: { levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] }, signedCalls: true }],
    ['gemini-7-unheard', { thinking: { levels: ['LOW', 'MEDIUM', 'HIGH'] }, signedCalls: true }],
    ['models/gemini-flash-latest', { thinking: { levels: ['LOW', 'MEDIUM', 'HIGH'] }, signedCalls: true }],
    ['gemini-2.5-pro', { thinking: { leastBudget: 128 }, signedCalls: false }],
    ['gemini-2.5-flash', { thinking: { leastBudget: 0 }, signedCalls: false }],
    ['gemini-2.0-flash', { thinking: undefined, signedCalls: false }],
    ['gemma-3-27b-it', { thinking: undefined, signedCalls: false }],
  ])('%s thinks as its generation does', (model, traits) => {
    expect(traitsOf(model)).toEqual(traits);
  });
});
