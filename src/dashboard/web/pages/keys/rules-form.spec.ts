import type { Rules } from './keys.api';
import { rulesInWords, rulesOf, valuesOf } from './rules-form';

/** Each rule that there is, once. */
const each: Record<string, Rules> = {
  'Only gpt-5*': { models: { allow: ['gpt-5*'] } },
  'Not 2 models': { models: { deny: ['gpt-5*', 'o1'] } },
  'Only vendor': { providers: { allow: ['vendor'] } },
  'Not vendor': { providers: { deny: ['vendor'] } },
  'Only chat': { operations: ['chat'] },
  'From 10.0.0.0/8': { addresses: ['10.0.0.0/8'] },
  '1,000 requests/min': { requests_per_minute: 1_000 },
  '50,000 tokens/min': { tokens_per_minute: 50_000 },
  '3 at once': { concurrency: 3 },
  'Bursts of 20 s': { burst_seconds: 20 },
  'Lowers max_tokens': { lower_max_tokens: true },
  'Refuses too high max_tokens': { lower_max_tokens: false },
};

const budgets: Rules[] = [{ budgets: { day: '0.5' } }, { budgets: { month: '20' } }, { budgets: { ever: '100.000000001' } }];

describe('The form of rules', () => {
  it.each([{}, ...Object.values(each), ...budgets])('shows %j and sends the same', (rules) =>
    expect(rulesOf(valuesOf(rules))).toEqual(rules),
  );

  it('sends all rules of a key together', () => {
    const all = Object.assign({}, ...Object.values(each), ...budgets) as Rules;
    expect(rulesOf(valuesOf(all))).toEqual(all);
  });

  it('shows budgets without needless zeros', () => expect(valuesOf({ budgets: { day: '7.000000000' } }).day).toBe('7'));

  it('takes away what was emptied, and keeps what it has no field for', () => {
    const before = { concurrency: 3, budgets: { day: '0.5' }, later: true } as Rules;
    expect(rulesOf({ ...valuesOf(before), concurrency: '', day: '' }, before)).toEqual({ later: true });
  });

  it.each(Object.entries(each))('says %s', (words, rules) => expect(rulesInWords(rules)).toEqual([words]));
});
