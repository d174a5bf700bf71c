import fc from 'fast-check';
import { chatForm, type Form } from './hostile-forms.ts';

/** A body, and the bytes of each chunk that it is sent in; 0: with content-length. */
export interface HostileBody {
  readonly json: Buffer;
  readonly chunk: number;
}

export type Filler = (bytes: number) => string;

/** Repeats a text, which ends with a comma where it is a list of values, up to so many bytes. */
export const repeated =
  (text: (index: number) => string): Filler =>
  (bytes) => {
    const blocks: string[] = [];
    let parts: string[] = [];
    for (let index = 0, length = 0; length < bytes; index++) {
      const part = text(index);
      parts.push(part);
      length += part.length;
      // Millions of small strings would take gigabytes.
      if (parts.length === 1_000) {
        blocks.push(parts.join(''));
        parts = [];
      }
    }
    return blocks.join('') + parts.join('');
  };

const name = (index: number) => `"${index.toString(36).padStart(5, 'x')}"`;

/** Values for a list, each with its comma. */
export const values = fc.oneof(
  fc.constantFrom(
    '[],',
    '{},',
    '0,',
    '-0,',
    '1e400,',
    '1.5e-7,',
    '"",',
    '"x",',
    'null,',
    '"\\u00e9",',
    ' \n\t,0,',
    '[[]],',
    '[{}],',
    '{"":0},',
  ),
  fc.nat(120).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}${depth === 0 ? '0' : ''},`),
  fc.nat(120).map((depth) => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)},`),
  fc.nat(1_500).map((digits) => `7${'1'.repeat(digits)},`),
  fc
    .tuple(fc.constantFrom('x', '\\"', '\\\\', '\\n', '\\u00e9', '\\ud800', 'é', '😀', '[', '{"', '\u0000'), fc.nat(3_000))
    .map(([text, times]) => `"${text.replace('"', '\\"').replace('\\\\"', '\\"').repeat(times)}",`),
  fc.json({ maxDepth: 4 }).map((json) => `${json},`),
);
const listed = values.map((value) => repeated(() => value));
const shapes = fc.constantFrom<Filler>(
  repeated((index) => `{${name(index)}:0},`),
  repeated((index) => `{${name(index)}:{${name(index + 7)}:[]}},`),
  repeated((index) => `"${index}",`),
  // Shapes that differ with few names, and tables of one member each.
  repeated((index) => `{"a${index % 447}":0,"b${Math.floor(index / 447)}":0},`),
  repeated(() => '{"4000000007":0},'),
);
/** What has as many values as are read, or a few more or less, most of it in characters of two bytes in memory. */
const dense = fc.tuple(fc.integer({ min: 20, max: 400 }), fc.constantFrom('€', '')).map(([size, last]) => `${'y'.repeat(size)}${last}`);
const denseParts = fc.oneof(
  dense.map((text): Filler => repeated(() => `{"a":"${text}"},`)),
  dense.map((text): Filler => repeated((index) => `{"a${index % 9_000}":"${text}"},`)),
  dense.map((text): Filler => repeated(() => `{"type":"text","text":"${text}"},`)),
  dense.map((text): Filler => repeated(() => `{"type":"input_text","text":"${text}"},`)),
  dense.map((text): Filler => repeated(() => `{"id":"${text}","type":"function","function":{"name":"n","arguments":"{}"}},`)),
);
/** Members of a body of so many bytes in at most `count` elements, each with a list of what fills it. */
const inElements =
  (before: string, element: (all: string) => string, count: number, fill: Filler): Filler =>
  (bytes) =>
    `${before}${repeated(() => `${element(`[${fill(bytes / count).slice(0, -1)}]`)},`)(bytes).slice(0, -1)}],`;
const list = fc.oneof({ weight: 3, arbitrary: listed }, shapes);

/** Members of an object, each with its comma. */
const members = fc.constantFrom<Filler>(
  repeated((index) => `${name(index)}:[],`),
  repeated((index) => `${name(index)}:0,`),
  repeated((index) => `"${4_000_000_000 + 7 * index}":0,`),
  repeated(() => '"a":0,'),
  repeated((index) => `"${'n'.repeat(300)}${index}":0,`),
  (bytes) => `"${'n'.repeat(bytes)}":0,`,
);
export const texts = fc.constantFrom('\\ud83d', 'x', 'some words ', '€\\u20ac', '\\"', '\\\\', '\\n', '\\u00e9', 'é', '😀', '\\/x');

/** JSON of about so many bytes which a gateway is to have written, and would be dear to parse. */
const facts: readonly Filler[] = [
  (bytes) => `{"extra_content":{${repeated((index) => `${name(index)}:0,`)(bytes)}"z":0}}`,
  (bytes) => `{"extra_content":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  (bytes) => `{"block":{"type":"thinking","signature":"${'x'.repeat(bytes)}"}}`,
];
const asBase64 = (json: string) => Buffer.from(json).toString('base64url');
/** What the texts of the gateway begin with, and began with in earlier versions. */
const claimed: readonly ((json: string) => string)[] = [
  (json) => `"switchyard.2.${'A'.repeat(22)}.${asBase64(json)}"`,
  (json) => `"switchyard:${asBase64(json)}"`,
  (json) => JSON.stringify(`switchyard.1.c.${json}`),
  (json) => `"\\u0073witchyard.2.${'A'.repeat(22)}.${asBase64(json)}"`,
];
/** Bytes of the facts in one such text: those of 64 KB and more are not decoded. */
const sizes = [3_000, 40_000, 200_000, 3_000_000];

/** Many turns, each with a text that no gateway has written. */
const forgedTurns =
  ({ turns, turn }: Form, around: (text: string) => string, text: string): Filler =>
  (bytes) =>
    `"${turns}":[${repeated(() => `${around(text)},`)(bytes)}${turn('"x"')}],`;

/** Bodies of about `bytes` bytes of all kinds of what a client carries back that no gateway has written. */
export function forgedBodies(bytes: number, form: Form): (() => HostileBody)[] {
  return (form.carried ?? []).flatMap((around) =>
    claimed.flatMap((claim) =>
      facts.map((fill, index) => () => {
        const filled = forgedTurns(form, around, claim(fill(sizes[index]!)))(bytes);
        return { json: Buffer.from(`{"model":"m",${filled}${form.last}}`), chunk: 0 };
      }),
    ),
  );
}

/** Conversations of about `bytes` bytes in as many turns as may be, of each kind of turn that a client may send. */
export function longConversations(bytes: number, { exchanges = [], turns, turn, last }: Form): (() => HostileBody)[] {
  return exchanges.map((exchange) => () => {
    const elements = exchange('""', 1e4).match(/"(role|type)":"(user|assistant|[a-z_]*call[a-z_]*|reasoning)"/g)!.length;
    const count = Math.floor(9_900 / elements);
    const empty = exchange('""', 1e4).length;
    const places = exchange('"x"', 1e4).length - empty;
    const text = JSON.stringify('some words\n '.repeat(Math.max(1, (bytes / count - empty) / places / 13)));
    const all = Array.from({ length: count }, (_, index) => `${exchange(text, index)},`).join('');
    return { json: Buffer.from(`{"model":"m","${turns}":[${all}${turn('"x"')}],${last}}`), chunk: 0 };
  });
}

/** A part of a body of so many bytes: members of the body, each with its comma. */
export function partOf(form: Form): fc.Arbitrary<Filler> {
  const { turns, turn, inner, textPart, tool, textPlaces, carried } = form;
  const forged = fc
    .tuple(
      fc.constantFrom(...(carried ?? [(text: string) => text])),
      fc.constantFrom(...claimed),
      fc.constantFrom(...facts),
      fc.constantFrom(...sizes),
    )
    .map(([around, claim, fill, size]) => forgedTurns(form, around, claim(fill(size))));
  return fc.oneof(
    ...(carried ? [forged] : []),
    list.map(
      (fill): Filler =>
        (bytes) =>
          `"x":[${fill(bytes)}0],`,
    ),
    list.map(
      (fill): Filler =>
        (bytes) =>
          `"tools":[${fill(bytes)}0],`,
    ),
    members,
    members.map(
      (fill): Filler =>
        (bytes) =>
          `"x":{${fill(bytes)}"z":0},`,
    ),
    members.map((fill): Filler => repeated(() => `"y":[{${fill(400)}"z":0}],`)),
    texts.map(
      (text): Filler =>
        (bytes) =>
          `"text":"${text.repeat(bytes / text.length)}",`,
    ),
    texts.map(
      (text): Filler =>
        (bytes) =>
          `"model":"${text.repeat(bytes / text.length)}",`,
    ),
    {
      weight: 4,
      arbitrary: fc.tuple(texts, fc.constantFrom(...textPlaces)).map(
        ([text, put]): Filler =>
          (bytes) =>
            put(oneText(text, bytes)),
      ),
    },
    fc.tuple(texts, fc.integer({ min: 4_000, max: 6_000 })).map(([text, size]): Filler => {
      const one = turn(`"${text.repeat(size / text.length)}"`);
      return (bytes) => `"${turns}":[${repeated(() => `${one},`)(bytes)}${turn('"x"')}],`;
    }),
    list.map(
      (fill): Filler =>
        (bytes) =>
          `"${turns}":[${fill(bytes)}${turn('"x"')}],`,
    ),
    list.map(
      (fill): Filler =>
        (bytes) =>
          `"${turns}":[${turn(`[${fill(bytes)}${textPart('"x"')}]`)}],`,
    ),
    denseParts.map((fill) => inElements('"x":[', (all) => all, 500, fill)),
    denseParts.map((fill) => inElements('"tools":[', (all) => tool(`{"p":${all}}`), 1_000, fill)),
    denseParts.map((fill) => inElements(`"${turns}":[`, turn, 9_900, fill)),
    denseParts.map((fill) => inElements(`"${turns}":[`, inner, 9_900, fill)),
    fc.constantFrom(' ', '\n', '\t').map(
      (space): Filler =>
        (bytes) =>
          `"x":0,${space.repeat(bytes)}`,
    ),
    fc.constant<Filler>((bytes) => `"x":${'7'.repeat(bytes)},`),
  );
}

/** What happens to the bytes of a whole body. */
const damage = fc.oneof(
  { weight: 5, arbitrary: fc.constant((json: Buffer) => json) },
  fc
    .tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.constantFrom(0x00, 0x22, 0x5c, 0x5b, 0x7d, 0x80, 0xc3, 0xff))
    .map(([at, byte]) => (json: Buffer) => {
      json[Math.floor(at * json.length)] = byte;
      return json;
    }),
  fc.double({ min: 0.5, max: 1, noNaN: true }).map((share) => (json: Buffer) => json.subarray(0, share * json.length)),
);

/** Bodies of about `bytes` bytes for a model `m`, which compose all that is known to be costly. */
export function hostileBody(bytes: number, form = chatForm): fc.Arbitrary<HostileBody> {
  return composed(bytes, fc.array(partOf(form), { minLength: 1, maxLength: 4 }), form);
}

/** @param parts each of which has as many bytes */
export function composed(
  bytes: number,
  parts: fc.Arbitrary<readonly Filler[]>,
  { asked, last }: Pick<Form, 'asked' | 'last'>,
): fc.Arbitrary<HostileBody> {
  const field = asked.slice(0, asked.indexOf(':') + 1);
  const chunk = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constantFrom(1, 3, 17, 63, 64, 300, 4_096, 100_000));
  return fc.tuple(parts, damage, chunk).map(([fillers, change, size]) => {
    const filled = fillers.map((fill) => fill(bytes / fillers.length)).join('');
    // A name that is given twice is refused.
    const json = change(Buffer.from(`{"model":"m",${filled.includes(field) ? '' : asked}${filled}${last}}`));
    // A failure names its seed; millions of bytes would say no more.
    return Object.assign({ json, chunk: size }, { [fc.toStringMethod]: () => `${json.length} bytes: ${json.toString('latin1', 0, 300)}` });
  });
}

/** One character and one escape make the whole dearer. */
const oneText = (text: string, bytes: number) => `"€\\n${text.repeat(bytes / text.length)}"`;

/** Bodies with one text of about `bytes` characters each, wherever one may be, of the kinds that are the dearest. */
export function bodiesOfOneText(bytes: number, { asked, last, textPlaces }: Form): (() => HostileBody)[] {
  const field = asked.slice(0, asked.indexOf(':') + 1);
  return ['€\\u20ac', '\\n', '😀'].flatMap((kind) =>
    textPlaces.map((put) => () => {
      const filled = put(oneText(kind, bytes));
      return { json: Buffer.from(`{"model":"m",${filled.includes(field) ? '' : asked}${filled}${last}}`), chunk: 0 };
    }),
  );
}

/** A conversation of short messages of about `bytes` bytes, for a model `ordinary`. */
export function ordinaryBody(bytes: number): Buffer {
  const count = Math.min(10_000, Math.floor(bytes / 60));
  const text = 'hello there, '.repeat(bytes / count).slice(0, Math.max(20, bytes / count - 35));
  return Buffer.from(`{"model":"ordinary","messages":[${Array.from({ length: count }, () => chatForm.turn(`"${text}"`)).join(',')}]}`);
}

/** The same for a model whose name has a prefix. Where the beginning of the body is damaged, it stays as it is. */
export function withPrefix(prefix: string, { json, chunk }: HostileBody): HostileBody {
  const begin = '{"model":"';
  if (prefix === '' || json.toString('latin1', 0, begin.length) !== begin) return { json, chunk };
  return { json: Buffer.concat([Buffer.from(begin + prefix), json.subarray(begin.length)]), chunk };
}

/** The body as it is on the wire, without the head of the request. */
export function framed({ json, chunk }: HostileBody): Buffer {
  if (chunk === 0) return json;
  // In one buffer: millions of small ones would take gigabytes.
  const head = (size: number) => `${size.toString(16)}\r\n`;
  const count = Math.ceil(json.length / chunk);
  const bytes = Buffer.alloc(count * (head(chunk).length + chunk + 2) + 5);
  let length = 0;
  for (let at = 0; at < json.length; at += chunk) {
    const piece = json.subarray(at, at + chunk);
    length += bytes.write(head(piece.length), length, 'latin1');
    length += piece.copy(bytes, length);
    length += bytes.write('\r\n', length, 'latin1');
  }
  length += bytes.write('0\r\n\r\n', length, 'latin1');
  return bytes.subarray(0, length);
}
