import fc from 'fast-check';
import { samples } from '../common/testing/long-form.js';
import { BufferList } from './buffer-list.js';
import { parseWhole } from './testing/parse-whole.js';
import { jsonLimits, mostOf } from './json-limits.js';
import { cutAnywhere } from './testing/cut.js';

/** What a body has, by its parsed value: the limits told in another way than the scan looks at them. */
function measured(value: unknown, depth = 0): { values: number; containers: number; members: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, containers: 0, members: 0, depth };
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  const sum = { values: 1, containers: 1, members: depth === 0 ? 0 : own, depth: depth + 1 };
  const children: unknown[] = Object.values(value);
  // An empty one counts as if it had a value.
  if (children.length === 0) sum.values++;
  for (const child of children) {
    const below = measured(child, depth + 1);
    sum.values += below.values;
    sum.containers += below.containers;
    sum.members = Math.max(sum.members, below.members);
    sum.depth = Math.max(sum.depth, below.depth);
  }
  return sum;
}

function allowed(json: string): boolean {
  const value = JSON.parse(json) as object;
  const { values, containers, members, depth } = measured(value);
  const length = Buffer.byteLength(json);
  return (
    values <= mostOf(jsonLimits.values, length) &&
    containers <= mostOf(jsonLimits.containers, length) &&
    members <= jsonLimits.members &&
    depth <= jsonLimits.depth &&
    Object.keys(value).length <= jsonLimits.fields
  );
}

const near = (limit: number) => [limit - 1, limit, limit + 1];
const fill = (count: number, one: (index: number) => string) => Array.from({ length: count }, (_, index) => one(index)).join(',');
const hostile = [
  ...near(jsonLimits.fields).map((count) => `{${fill(count, (index) => `"${index}x":[]`)}}`),
  ...near(jsonLimits.members).map((count) => `{"a":[{${fill(count, (index) => `"${index}x":{}`)}}]}`),
  ...near(jsonLimits.depth).map((count) => `{"a":${'['.repeat(count)}"]"${']'.repeat(count)}}`),
  ...near(jsonLimits.depth).map((count) => `{"a":${'{"b":'.repeat(count)}"\\"}"${'}'.repeat(count)}}`),
  ...near(103_224).map((count) => `{"a":[${fill(count, () => '0')}]}`),
  ...near(40_959).map((count) => `{"a":[${fill(count, () => '{}')}]}`),
  ...near(40_959).map((count) => `{"a":[${fill(count, () => '[]')}],"b":"${'[{,'.repeat(20)}"}`),
];

describe('the limits of JSON', () => {
  it('are those that the values have, however the bytes are cut', () => {
    for (const json of hostile) {
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
          const read = () => parseWhole(new BufferList(cutAnywhere(Buffer.from(json), cuts)));
          if (allowed(json)) expect(read()).toEqual(JSON.parse(json));
          else expect(read).toThrow(/The request body|An object in the request body/);
        }),
        { numRuns: samples(4) },
      );
    }
  });
});
