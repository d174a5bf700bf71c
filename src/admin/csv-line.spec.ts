import { csvLine } from './csv-line.js';

describe('csvLine', () => {
  it.each([
    ['plain', 'plain'],
    ['with, comma', '"with, comma"'],
    ['with "quotes"', '"with ""quotes"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1 (555)', "'+1 (555)"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['\t=1', "'\t=1"],
    [' =cmd|"/c calc"!A0', `"' =cmd|""/c calc""!A0"`],
    ['\r=1', `"'\r=1"`],
    ['＝1+1', "'＝1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a; \t@b', `a; \t'@b`],
    ['a;b', 'a;b'],
    ['-0.000000001', '-0.000000001'],
    [-5, '-5'],
    [null, ''],
    [undefined, ''],
    [false, 'false'],
    [['a', 'b'], 'a b'],
    [['=a', 'b'], "'=a b"],
  ])('writes %j as %s', (value, text) => {
    expect(csvLine([1, value])).toBe(`1,${text}\r\n`);
  });
});
