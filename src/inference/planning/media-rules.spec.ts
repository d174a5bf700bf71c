import type { Offer } from '../../catalogue/offer.js';
import type { ContentPart } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { requireOwnMedia } from './media-rules.js';
import type { Modality } from '../../wire/media-part.js';
import { mediaBound } from './media-size.js';

const offer = { modelId: 'm', accountIds: false, internalMedia: false } as Offer;

/** A request with a part whose data begins with a text and goes on for long. */
function asking(name: string, beginning: string, end = ''): ChatGenerationRequest {
  const blob = { [name]: JSON.parse(`"${beginning}${'x'.repeat(70_000)}${end}"`) as string };
  const part = { type: 'blob', blob } as unknown as ContentPart;
  return { operation: 'chat', model: 'm', stream: false, n: 1, messages: [{ role: 'user', content: [part] }] };
}

describe('requireOwnMedia', () => {
  it.each([
    ['data', 'iVBORw0KGgo\\/AAAA'],
    ['data', 'Anything that is said\\n'],
    ['data', 'https://example.com/'],
    ['url', 'https://example.com/'],
    ['url', 'data:image/png;base64,'],
  ])('lets a long %s through that begins with %s', (name, beginning) => {
    expect(() => requireOwnMedia(offer, asking(name, beginning))).not.toThrow();
  });

  it.each([
    ['url', 'file:///etc/passwd?', 'must be an http(s) address or a data: URL'],
    ['url', '\\u0066ile:\\/\\/\\/etc/passwd?', 'must be an http(s) address or a data: URL'],
    ['url', ' http://169.254.169.254/', 'must be an http(s) address or a data: URL'],
    ['url', 'http:\\/\\/169.254.169.254/', 'is an address inside of a network'],
  ])('refuses a long %s that begins with %s, without decoding it', (name, beginning, problem) => {
    expect(() => requireOwnMedia(offer, asking(name, beginning))).toThrow(problem);
  });

  it.each(['file:///etc/passwd?', '\\u0066ile:\\/\\/\\/etc/passwd?', ' http://169.254.169.254/'])(
    'refuses long data that begins with %s where nothing shows that it is prose',
    (beginning) => {
      const problem = 'must be an http(s) address or a data: URL';
      expect(() => requireOwnMedia(offer, asking('data', beginning, ''))).toThrow(problem);
      expect(() => requireOwnMedia(offer, asking('data', beginning, ' '))).toThrow(problem);
      expect(() => requireOwnMedia(offer, asking('data', beginning, ' is what it says'))).not.toThrow();
    },
  );

  it.each([
    ['image_url', { url: 'http://169.254.169.254/' }, 'is an address inside of a network'],
    ['file', { file_id: 'file-1' }, 'ids of the gateway'],
  ])('refuses %s of a part that says that it is text', (name, value, problem) => {
    const part = { type: 'text', text: 'http://localhost/', [name]: value } as unknown as ContentPart;
    const request = { ...asking('data', ''), messages: [{ role: 'user', content: [part] }] } as ChatGenerationRequest;
    expect(() => requireOwnMedia(offer, request)).toThrow(problem);
  });

  it.each(['http:169.254.169.254/', 'http:/169.254.169.254/', 'https:\\\\169.254.169.254/'])(
    'refuses the file %s, which parsers mend',
    (file_data) => {
      const part = { type: 'file', file: { file_data } } as unknown as ContentPart;
      const request = { ...asking('data', ''), messages: [{ role: 'user' as const, content: [part] }] };
      expect(() => requireOwnMedia(offer, request)).toThrow('must be an http(s) address or a data: URL');
    },
  );

  it.each([
    ['white space and a part of an address', ' '.repeat(4_090) + 'http://169.254.169.254/'],
    ['an address whose host is behind it', 'https://' + 'example.com.'.repeat(400) + '@169.254.169.254/'],
  ])('refuses a long text that begins with %s', (_, beginning) => {
    expect(() => requireOwnMedia(offer, asking('data', beginning))).toThrow('is not passed on');
  });
});

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
    ['an image that is a video behind white space', imageOf(`data: \\tvideo/mp4;base64,${base64}`), 'image', 40_000],
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
});
