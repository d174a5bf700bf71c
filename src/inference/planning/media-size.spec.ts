import { BufferList } from '../../json/buffer-list.js';
import { parseWhole } from '../../json/testing/parse-whole.js';
import { longTextAt } from '../../json/long-text.js';
import type { ContentPart } from '../../wire/chat-completion.js';
import type { Modality } from '../../wire/media-part.js';
import { mediaBound } from './media-size.js';

const ceilings: Readonly<Record<Modality, number>> = { image: 10_000, audio: 20_000, video: 40_000, file: 80_000 };
const boundOf = (part: ContentPart, told: Modality) => mediaBound(part, told, (modality) => ceilings[modality]);
const imageOf = (url: string, more: object = {}): ContentPart => ({ type: 'image_url', image_url: { url, ...more } });
const base64 = 'A'.repeat(50_000);

describe('mediaBound', () => {
  it.each<[string, ContentPart, Modality, number]>([
    ['an address', imageOf('https://example.com/a.png'), 'image', 10_000],
    ['data', imageOf(`data:image/png;base64,${base64}`), 'image', 10_000],
    ['data with an escaped slash', imageOf(`data:image\\/png;base64,${base64}`), 'image', 10_000],
    ['data in capitals', imageOf(`DATA:IMAGE/PNG;base64,${base64}`), 'image', 10_000],
    ['sound', { type: 'input_audio', input_audio: { data: base64, format: 'mp3' } }, 'audio', 20_000],
    ['a document', { type: 'file', file: { file_data: `data:application/pdf;base64,${base64}` } }, 'file', 80_000],
    ['an image that is a video', imageOf(`data:video/mp4;base64,${base64}`), 'image', 40_000],
    ['an image that is a document', imageOf(`data:application/pdf;base64,${base64}`), 'image', 80_000],
    ['a file that is an image', { type: 'file', file: { file_data: `data:image/png;base64,${base64}` } }, 'file', 80_000],
    ['an image that is text', imageOf(`data:text/plain,${base64}`), 'image', 60_000],
    ['a file that is text', { type: 'file', file: { file_data: `data:text/plain;base64,${base64}` } }, 'file', 50_000],
    ['a file whose data is of no known type', { type: 'file', file: { file_data: base64 } }, 'file', 130_000],
    ['text beside it', imageOf('https://example.com/a.png', { caption: 'x'.repeat(5_000) }), 'image', 15_000],
    ['a lie beside it', { ...imageOf('https://example.com/a.png'), note: `data:image/png;base64,${base64}` }, 'image', 60_000],
  ])('%s', (_name, part, told, least) => {
    const bound = boundOf(part, told);
    expect(bound).toBeGreaterThanOrEqual(least);
    expect(bound).toBeLessThan(least + 400);
  });

  it('leaves a long text undecoded', () => {
    const json = JSON.stringify({ part: imageOf(`data:image/png;base64,${base64}`) }).replaceAll('/', '\\/');
    const { part } = parseWhole(new BufferList([Buffer.from(json.slice(0, 70)), Buffer.from(json.slice(70))])) as { part: ContentPart };
    expect(boundOf(part, 'image')).toBeLessThan(10_400);
    expect(longTextAt(part.image_url!, 'url')).toBeDefined();
  });
});
