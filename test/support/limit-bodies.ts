/** A limit of src/json/json-limits.ts: what may have `most` of it is answered, one more is refused. */
interface LimitRow {
  readonly what: string;
  readonly told: string;
  /** Bodies for a model `m`: one at the limit, and one beyond it. */
  readonly bodies: () => readonly [allowed: string, refused: string];
}

const around = (messages: string, more: string) => `{"model":"m","messages":[${messages}]${more && `,${more}`}}`;
const short = '{"role":"user","content":"hi"}';
const long = (bytes: number) => `{"role":"user","content":"${'x'.repeat(bytes)}"}`;
const many = (count: number, one: (index: number) => string) => Array.from({ length: count }, (_, index) => one(index)).join(',');
const ofCount = (most: number, body: (count: number) => string) => () => [body(most), body(most + 1)] as const;

/** The values of `around(message, '"x":[...]')` without elements, and its containers. */
const [VALUES, CONTAINERS] = [7, 4];
const EMPTY = around(short, '"x":[]').length;

/** As many elements as a body may have with `base` of them, and one more for each `per` bytes. */
function elements(base: number, per: number, bytesOfOne: number): number {
  let count = base;
  for (;;) {
    const more = base + Math.floor((EMPTY + count * bytesOfOne - 1) / per);
    if (more <= count) return count;
    count = more;
  }
}

const MB = 1024 * 1024;

/** The limits as the documents have them, and not as the code does. */
export const limitBodies: readonly LimitRow[] = [
  {
    what: 'levels',
    told: 'deeper than 100 levels',
    bodies: ofCount(99, (count) => around(short, `"x":${'['.repeat(count)}${']'.repeat(count)}`)),
  },
  {
    what: 'fields',
    told: 'more than 512 fields',
    bodies: ofCount(510, (count) =>
      around(
        short,
        many(count, (index) => `"z${index}":0`),
      ),
    ),
  },
  { what: 'bytes of a name', told: 'longer than 256 bytes', bodies: ofCount(256, (count) => around(short, `"${'n'.repeat(count)}":0`)) },
  {
    what: 'members of an object',
    told: 'more than 4096 members',
    bodies: ofCount(4_096, (count) => around(short, `"x":{${many(count, (index) => `"z${index}":0`)}}`)),
  },
  {
    what: 'digits of a number',
    told: 'more than 1000 characters',
    bodies: ofCount(1_000, (count) => around(short, `"x":${'7'.repeat(count)}`)),
  },
  {
    what: 'values for its bytes',
    told: 'too many values',
    bodies: ofCount(elements(100_000 - VALUES, 64, 2), (count) => around(short, `"x":[${many(count, () => '0')}]`)),
  },
  {
    what: 'values in all',
    told: 'too many values',
    bodies: ofCount(250_000 - VALUES, (count) => around(long(10 * MB), `"x":[${many(count, () => '0')}]`)),
  },
  {
    what: 'objects and arrays for its bytes',
    told: 'too many objects and arrays',
    bodies: ofCount(elements(40_000 - CONTAINERS, 128, 3), (count) => around(short, `"x":[${many(count, () => '{}')}]`)),
  },
  {
    what: 'objects and arrays in all',
    told: 'too many objects and arrays',
    bodies: ofCount(125_000 - CONTAINERS, (count) => around(long(11 * MB), `"x":[${many(count, () => '[]')}]`)),
  },
  {
    what: 'bytes of a field beside long texts',
    told: 'more than 2097152 bytes beside texts',
    bodies: ofCount(2 * MB, (bytes) => {
      const text = `"${'y'.repeat(800)}",`;
      const texts = text.repeat((bytes - 100) / text.length);
      return around(short, `"x":{"a":[${texts}"${'y'.repeat(bytes - texts.length - '"x":{"a":[""]}'.length)}"]}`);
    }),
  },
];
