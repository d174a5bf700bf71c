import * as fc from 'fast-check';
import { bearerToken } from './bearer.js';

describe('the Authorization header', () => {
  it.each([
    ['Bearer sy-live-1', 'sy-live-1'],
    ['bearer sy-live-1', 'sy-live-1'],
    ['BEARER   sy-live-1  ', 'sy-live-1'],
    [' Bearer\tsy-live-1', 'sy-live-1'],
  ])('%j carries a key', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });

  it.each([undefined, '', '   ', 'Bearer', 'Bearer ', 'bearer    '])('%j carries none', (header) => {
    expect(bearerToken(header)).toBe('');
  });

  it.each(['Basic c3k6bGl2ZQ==', 'sy-live-1', 'Bearer:sy-live-1', 'Token sy-live-1'])('%j is of another scheme', (header) => {
    expect(bearerToken(header)).toBe(`other scheme: ${header}`);
  });

  it('bounds what is looked at, whatever arrives', () => {
    fc.assert(fc.property(fc.string({ maxLength: 2_000, unit: 'binary' }), (header) => bearerToken(header).length <= 530));
    expect(bearerToken(`Bearer ${'a'.repeat(100_000)}`)).toHaveLength(512 - 'Bearer '.length);
  });
});
