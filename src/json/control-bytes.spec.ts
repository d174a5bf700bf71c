import { hasControl } from './control-bytes.js';

describe('hasControl', () => {
  it.each([0, 1, 63, 64, 65, 127, 128, 65_535, 65_536, 65_537, 131_137])('finds one among %i bytes that are none', (length) => {
    const bytes = new Uint8Array(length).fill(0xff).fill(0x20, 0, length >> 1);
    expect(hasControl(bytes)).toBe(false);
    for (const at of [0, 1, 15, 16, 63, 64, 100, 65_535, 65_536, length - 1]) {
      if (at < 0 || at >= length) continue;
      const was = bytes[at]!;
      for (const control of [0x00, 0x1f]) {
        bytes[at] = control;
        expect(hasControl(bytes)).toBe(true);
      }
      bytes[at] = was;
    }
  });

  it('takes every other byte', () => {
    for (let byte = 0; byte < 256; byte++) expect(hasControl(Uint8Array.of(0x61, byte))).toBe(byte < 0x20);
  });

  it('forgets what it looked at before', () => {
    expect(hasControl(new Uint8Array(200))).toBe(true);
    expect(hasControl(new Uint8Array(100).fill(0x20))).toBe(false);
    expect(hasControl(new Uint8Array(0))).toBe(false);
  });
});
