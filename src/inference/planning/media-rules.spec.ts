import type { Offer } from '../../catalogue/offer.js';
import { putLongText } from '../../json/long-text.js';
import { unreadText } from '../../json/testing/unread-text.js';
import type { ContentPart } from '../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { requireOwnMedia } from './media-rules.js';

const offer = { modelId: 'm', accountIds: false, internalMedia: false } as Offer;

/** A request with a part whose data begins with a text and goes on for long. */
function asking(name: string, beginning: string, end?: string): ChatGenerationRequest {
  const blob = {};
  const written = Buffer.from(beginning + 'x'.repeat(70_000));
  const decode = () => {
    if (end === undefined) throw new Error('it is decoded');
    return JSON.parse(`"${written.toString()}${end}"`) as string;
  };
  putLongText(blob, name, unreadText({ bytes: written.length, start: (length) => written.subarray(0, length), decode }));
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
  ])('lets a long %s through that begins with %s, without decoding it', (name, beginning) => {
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
    ['white space alone', ' '.repeat(5_000)],
    ['white space and a part of an address', ' '.repeat(4_090) + 'http://169.254.169.254/'],
    ['an address whose host is behind it', 'https://' + 'example.com.'.repeat(400) + '@169.254.169.254/'],
  ])('reads a text that begins with %s', (_, beginning) => {
    expect(() => requireOwnMedia(offer, asking('data', beginning))).toThrow('it is decoded');
  });
});
