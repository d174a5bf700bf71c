import {
  axisOf,
  countAxis,
  creditDecimals,
  creditsWith,
  duration,
  durationAxis,
  exactCredits,
  inColumn,
  perMillion,
  shifted,
  sumOfCredits,
} from './numbers';

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

it.each([
  ['0', '0'],
  ['10', '10.00'],
  ['9.99744', '9.99'],
  ['1234567.999', '1,234,567.99'],
  ['-2.999', '-2.99'],
  ['0.00256', '0.00256'],
  ['0.9999', '0.999'],
  ['0.5', '0.500'],
  ['-0.000000045', '-0.0000000450'],
  ['9007199254740993.009', '9,007,199,254,740,993.00'],
  ['2e-7', '0.000000200'],
])('credits show no more than there is of %s: %s', (amount, shown) => {
  expect(creditsWith(amount, creditDecimals(amount, false))).toBe(shown);
});

it.each([
  ['1234.500000045', '1,234.500000045'],
  ['7.000000000', '7.00'],
  ['-0.250000000', '-0.25'],
  ['0.000000000', '0.00'],
])('exactCredits shows %s without needless zeros: %s', (amount, shown) => expect(exactCredits(amount)).toBe(shown));

it('inColumn gives all amounts the decimals of the one that has most', () =>
  expect(['0.0000075', '0.00002', '1'].map(inColumn(['0.0000075', '0.00002', '1']))).toEqual(['0.0000075', '0.0000200', '1.0000000']));

it.each([
  [axisOf, [0, 0.5, 1, 1.5], ['0.0', '0.5', '1.0', '1.5']],
  [axisOf, [0, 1_000, 2_000], ['0', '1,000', '2,000']],
  [axisOf, [0, 2e-7], ['0.0000000', '0.0000002']],
  [countAxis, [0, 5_000, 10_000, 12_500], ['0.0', '5.0K', '10.0K', '12.5K']],
  [durationAxis, [0, 500, 1_000, 1_500], ['0.0 s', '0.5 s', '1.0 s', '1.5 s']],
  [durationAxis, [0, 200, 400], ['0 ms', '200 ms', '400 ms']],
])('%p gives the axis of %j one number of decimals', (axis, sizes, labels) => expect(axis(sizes)).toEqual(labels));

it.each([
  ['0.5', 3, '500'],
  [0.00025, 3, '0.25'],
  [1e-9, 3, '0.000001'],
  ['1.5e-7', -3, '0.00000000015'],
  ['123456789.123456', -3, '123456.789123456'],
  [1e21, 3, '1000000000000000000000000'],
  ['-20', -1, '-2'],
  ['0', 3, '0'],
  ['0.000', -3, '0'],
])('%s shifted by %d is %s', (decimal, places, result) => {
  expect(shifted(decimal, places)).toBe(result);
});

it.each([
  [0, 'Free'],
  ['0.0025', '2.50'],
  [0.000000001, '0.000001'],
  ['0.000123456', '0.123456'],
  ['1234.5', '1,234,500.00'],
])('a price of %s for 1,000 is %s for a million', (price, shown) => {
  expect(perMillion(price)).toBe(shown);
});

it.each([
  [0, '0 ms'],
  [1_234, '1.23 s'],
  [61_000, '1 min 1 s'],
  [null, '–'],
])('duration of %j is %s', (milliseconds, shown) => expect(duration(milliseconds)).toBe(shown));
