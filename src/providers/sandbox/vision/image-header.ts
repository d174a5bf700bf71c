/** What the first bytes of an image tell; its sides in pixels, where they stand there. */
export interface ImageHeader {
  readonly kind: 'PNG' | 'JPEG' | 'GIF' | 'WebP' | 'BMP';
  readonly width?: number;
  readonly height?: number;
}

/**
 * Reads the header of an image: PNG (RFC 2083, 4.1.1), GIF (GIF89a, 18), JPEG (ITU-T T.81, B.2.2), WebP (RFC 9649, 2.5
 * to 2.7) and BMP.
 * @param bytes the beginning of the file
 * @returns undefined where it is none of these
 */
export function imageHeader(bytes: Buffer): ImageHeader | undefined {
  const signed = (signature: string, at = 0) => bytes.toString('latin1', at, at + signature.length) === signature;
  if (signed('\x89PNG\r\n\x1a\n')) return sides('PNG', bytes, 24, () => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]);
  if (signed('GIF87a') || signed('GIF89a')) return sides('GIF', bytes, 10, () => [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]);
  if (signed('\xff\xd8\xff')) return jpeg(bytes);
  if (signed('RIFF') && signed('WEBP', 8)) return webp(bytes);
  if (signed('BM')) return sides('BMP', bytes, 26, () => [bytes.readInt32LE(18), Math.abs(bytes.readInt32LE(22))]);
  return undefined;
}

function sides(kind: ImageHeader['kind'], bytes: Buffer, length: number, read: () => [number, number]): ImageHeader {
  if (bytes.length < length) return { kind };
  const [width, height] = read();
  return width > 0 && height > 0 ? { kind, width, height } : { kind };
}

/** The sides stand in the first frame header: markers C0 to CF, but for DHT (C4), JPG (C8) and DAC (CC). */
function jpeg(bytes: Buffer): ImageHeader {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return sides('JPEG', bytes, at + 9, () => [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]);
    at += 2 + Math.max(bytes.readUInt16BE(at + 2), 2);
  }
  return { kind: 'JPEG' };
}

function webp(bytes: Buffer): ImageHeader {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return sides('WebP', bytes, 30, () => [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]);
    case 'VP8 ':
      return sides('WebP', bytes, 30, () => [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]);
    case 'VP8L':
      return sides('WebP', bytes, 25, () => {
        const packed = bytes.readUInt32LE(21);
        return [(packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1];
      });
    default:
      return { kind: 'WebP' };
  }
}
