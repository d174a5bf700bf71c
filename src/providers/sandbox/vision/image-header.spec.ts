import { imageHeader } from './image-header.js';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const images: readonly [string, Buffer][] = [
  ['PNG', bytes('89504e470d0a1a0a 0000000d49484452 00000280 000001e0 08020000')],
  ['GIF', bytes('474946383961 8002 e001 f70000')],
  ['BMP', bytes(`424d 00000000 00000000 36000000 28000000 80020000 20feffff 0100`)],
  ['JPEG', bytes(`ffd8 ffe0 0010 4a46494600010100000100010000 ff ffdb 0004 0000 ffc4 0004 0000 ffc2 0011 08 01e0 0280 03`)],
  ['WebP', bytes('52494646 00000000 57454250 56503858 0a000000 00000000 7f0200 df0100')],
  ['WebP', bytes('52494646 00000000 57454250 56503820 00000000 000000 9d012a 8002 e001')],
  ['WebP', bytes('52494646 00000000 57454250 5650384c 00000000 2f 7fc27700 00')],
];

describe('the header of an image', () => {
  it.each(images)('of %s has its sides', (kind, file) => {
    expect(imageHeader(file)).toEqual({ kind, width: 640, height: 480 });
  });

  it.each(images)('of %s may be cut anywhere', (kind, file) => {
    for (let length = 0; length < file.length; length++) {
      const found = imageHeader(file.subarray(0, length));
      expect([undefined, kind]).toContain(found?.kind);
      expect([undefined, 640]).toContain(found?.width);
    }
  });

  it('of anything else is unknown', () => {
    expect(imageHeader(Buffer.from('hello'))).toBeUndefined();
    expect(imageHeader(Buffer.alloc(0))).toBeUndefined();
  });
});
