import { exactCredits, sumOfCredits } from './numbers';

it.each([
  [[], '0.000000000'],
  [['0.000000045'], '0.000000045'],
  [['0.1', '0.2'], '0.300000000'],
  [['12345678', '0.000000003', '0.1'], '12345678.100000003'],
  [['-0.5', '0.25'], '-0.250000000'],
  [['0.000000000001', '1'], '1.000000000001'],
  [['9007199254740993.000000001', '1'], '9007199254740994.000000001'],
])('sumOfCredits of %j is exact', (amounts, sum) => {
  expect(sumOfCredits(amounts)).toBe(sum);
});

it('exactCredits shows a sum to the billionth', () =>
  expect(exactCredits(sumOfCredits(['1234.5', '0.000000045']))).toBe('1,234.500000045'));
