import { barsOf } from './sparkline';

it('draws each value for itself, and nothing where nothing was measured', () =>
  expect(barsOf([0, null, 5], 11)).toBe('M0.1 11v-1h.8V11zM2.1 11v-11h.8V11z'));
