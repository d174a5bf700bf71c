import type { Type } from '@nestjs/common';
import { validateSync } from '../../../common/validation/class-validator.js';
import fc from 'fast-check';
import { samples } from '../../../common/testing/long-form.js';
import { FieldRules } from '../field-rules.js';

/** Values of each kind that a client may send, within and beyond every bound. */
const value = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, false, '', 'x', 'auto', 'none', 'required', [], {}, ['x'], ['']),
  fc.constantFrom<unknown>(-3, -1, 0, 0.5, 1, 2, 2.1, 5, 6, 20, 21, 1e9, 2 ** 31, NaN, Infinity),
  fc.constantFrom<unknown>(
    'x'.repeat(600),
    [{ role: 'user', content: 'hi' }],
    [{ role: 'nobody' }],
    [{ type: 'function', function: { name: 'f' } }],
    { type: 'function', function: { name: 'f' } },
    { type: 'json_object' },
    { include_usage: true },
    { 50256: -100 },
  ),
  fc.jsonValue(),
);

/**
 * Expects that FieldRules refuses exactly the bodies that class-validator refuses.
 * @param valid the smallest body that the class accepts
 */
export function expectSameRefusals<T extends object>(dto: Type<T>, valid: Partial<T>): void {
  const rules = new FieldRules(dto);
  const names = Object.keys(new dto());
  const seen = { held: 0, refused: 0 };
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 }), fc.boolean(), (fields, complete) => {
      const given = complete ? { ...valid, ...fields } : fields;
      const body = Object.assign(new dto(), given);
      const holds = validateSync(body, { forbidUnknownValues: false }).length === 0;
      seen[holds ? 'held' : 'refused']++;
      expect(rules.hold(body, Object.keys(given))).toBe(holds);
    }),
    { numRuns: samples(2_000) },
  );
  // Both results must be frequent enough for the property to mean something.
  expect(Math.min(seen.held, seen.refused)).toBeGreaterThan(samples(80));
}
