import fc from 'fast-check';
import { ModelAccess } from '../../common/access/model-access.js';
import { longForm } from '../../common/testing/long-form.js';
import { combineRules, type RulesOf } from './principal-rules.js';
import { parseRules, rulesText } from './rules.dto.js';

const key = (rules: object): RulesOf => ({ kind: 'key', id: 'k', rules: parseRules(rules) });
const account = (rules: object): RulesOf => ({ kind: 'account', id: 'a', rules: parseRules(rules) });

describe('rules', () => {
  it.each([
    [[], 'rules must be a JSON object'],
    [null, 'rules must be a JSON object'],
    [{ model: {} }, 'property model should not exist'],
    [{ models: { allow: 'gpt-5' } }, 'models.allow must be an array'],
    [{ models: { allow: [1] } }, 'models.'],
    [{ models: { allows: ['a'] } }, 'models.property allows should not exist'],
    [{ providers: ['x'] }, 'providers'],
    [{ operations: ['embed'] }, 'each value in operations must be one of'],
    [{ operations: null }, 'operations must be'],
    [{ concurrency: null }, 'concurrency must'],
    [{ models: { deny: null } }, 'models.deny must be an array'],
    [{ addresses: ['10.0.0.0/33'] }, 'addresses must be addresses or ranges such as 10.0.0.0/8'],
    [{ addresses: ['example.com'] }, 'addresses must be addresses or ranges'],
    [{ requests_per_minute: 0 }, 'requests_per_minute must not be less than 1'],
    [{ tokens_per_minute: 1.5 }, 'tokens_per_minute must be an integer'],
    [{ concurrency: '1' }, 'concurrency'],
    [{ budgets: { day: 1 } }, 'budgets.day must be credits as a decimal text'],
    [{ budgets: { day: null } }, 'budgets.day must be credits'],
    [{ budgets: { week: '1' } }, 'budgets.property week should not exist'],
    [{ budgets: { ever: '0.0000000001' } }, 'budgets.ever must be credits'],
  ])('refuses %j', (rules, message) => {
    expect(() => parseRules(rules)).toThrow(message);
    expect(() => parseRules(rules)).toThrow(RangeError);
  });

  it('are nothing where nothing is restricted', () => {
    expect(rulesText(parseRules({}))).toBeNull();
    expect(combineRules('live', [key({}), account({})])).toBeUndefined();
  });

  it('of key and account hold together', () => {
    const rules = combineRules('live', [
      key({
        models: { allow: ['gpt-*'] },
        operations: ['chat', 'models'],
        addresses: ['10.0.0.0/8'],
        requests_per_minute: 60,
        budgets: { day: '1.5' },
      }),
      account({
        models: { deny: ['*-pro'] },
        operations: ['chat', 'completion'],
        addresses: ['10.1.0.0/16', '2001:db8::/32'],
        concurrency: 5,
        burst_seconds: 3,
      }),
    ])!;
    expect(['gpt-5', 'gpt-5-pro', 'claude', 'xgpt-5'].map((id) => rules.access!.allowsModel(id))).toEqual([true, false, false, false]);
    expect([...rules.operations!]).toEqual(['chat']);
    expect(['10.1.2.3', '10.2.2.3', '2001:db8::1', '::ffff:10.1.2.3', 'nowhere', ''].map(rules.allowsAddress!)).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
    ]);
    expect(rules.limits).toEqual([
      { subject: 'key/k/live', kind: 'key', requestsPerMinute: 60, burstSeconds: 10 },
      { subject: 'account/a/live', kind: 'account', burstSeconds: 3, concurrency: 5 },
    ]);
    expect(rules.budgets).toEqual([{ subject: 'key/k/live', kind: 'key', window: 'day', limit: 1_500_000_000n }]);
  });
});

describe('the access to models', () => {
  it('takes patterns as they are written, and nothing else in them as special', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '/', '(', '[', '-', '$', '|'), maxLength: 8 });
    fc.assert(
      fc.property(name, name, name, (start, middle, end) => {
        const access = new ModelAccess([{ models: { allow: [`${start}*${end}`] } }]);
        expect(access.allowsModel(start + middle + end)).toBe(true);
        expect(new ModelAccess([{ models: { deny: [start + end] } }]).allowsModel(start + end)).toBe(false);
        expect(access.allowsModel(`x${start}${end}`)).toBe(start === '');
      }),
    );
  });

  it('finds what a regular expression finds, wherever the * are', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 });
    fc.assert(
      fc.property(text, name, (pattern, id) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(id);
        expect(new ModelAccess([{ models: { allow: [pattern] } }]).allowsModel(id)).toBe(expected);
      }),
      { numRuns: longForm ? 2_000 : 400 },
    );
  });
});
