import fc from 'fast-check';
import { formatTraceparent, parseTraceparent } from './trace-context.js';

const trace = '0af7651916cd43dd8448eb211c80319c';
const span = 'b7ad6b7169203331';

describe('traceparent', () => {
  it('is read and written', () => {
    const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((id) => /[^0]/.test(id));
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, sampled) => {
        expect(parseTraceparent(formatTraceparent({ traceId, spanId, sampled }))).toEqual({ traceId, spanId, sampled });
      }),
    );
  });

  it('may be of a later version, with more behind it and other flags', () => {
    expect(parseTraceparent(`cc-${trace}-${span}-ff-what-the-future-brings`)).toEqual({ traceId: trace, spanId: span, sampled: true });
    expect(parseTraceparent(`00-${trace}-${span}-02`)).toEqual({ traceId: trace, spanId: span, sampled: false });
  });

  it.each([
    undefined,
    '',
    [`00-${trace}-${span}-01`],
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01-more`,
    `ff-${trace}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    ` 00-${trace}-${span}-01`,
    `cc-${trace}-${span}-01-${'x'.repeat(600)}`,
  ])('is nothing where it is %j', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
