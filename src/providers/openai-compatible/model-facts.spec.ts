import { parsePrice, samePrice } from '../../common/credits.js';
import { factsOf } from './model-facts.js';

describe('the price in our own list', () => {
  const pricing = { prompt: 0.001, completion: 0.002, unit: '1k_tokens' };
  const level = { prompt: 0.0005, completion: 0.001, cached_input: 0.00005 };
  const components = {
    cached_input: 0.0001,
    search: 10,
    tiers: [{ above: 1_000, prompt: 0.002, completion: 0.004 }],
    service_tiers: { flex: { ...level, tiers: [] }, priority: { ...level, prompt: 0.003 } },
    hours: [{ from: '01:00', to: '04:00', days: ['mon'], ...level, tiers: [{ above: 1_000, prompt: 0.003, completion: 0.001 }] }],
  };
  const read = (told: object) => factsOf({ id: 'm', pricing, pricing_components: told }).price!;

  it('is read whole, with its service tiers and hours', () => {
    const { service_tiers: services, ...rest } = components;
    const given = { ...pricing, ...rest, service_tiers: { ...services, priority: { ...services.priority, tiers: [] } } };
    const { unit: _unit, ...quote } = { ...given, hours: given.hours.map((hours) => ({ ...hours, days: ['mon' as const] })) };
    expect(samePrice(parsePrice(read(components)), parsePrice(quote))).toBe(true);
  });

  it.each([
    { service_tiers: { 'Not A Name': level, auto: level } },
    { service_tiers: [] },
    { service_tiers: { flex: 'cheap' } },
    { hours: [{ from: '25:00', to: '04:00', ...level }] },
    { hours: [{ from: 1, to: 4, ...level }] },
    { hours: 'always' },
  ])('leaves out what is none: %j', (told) => {
    expect(samePrice(parsePrice(read(told)), parsePrice({ prompt: 0.001, completion: 0.002 }))).toBe(true);
  });
});
