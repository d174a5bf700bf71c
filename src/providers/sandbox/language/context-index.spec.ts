import fc from 'fast-check';
import { Pacer } from '../pacer.js';
import { CONTEXT_LENGTH, ContextIndex } from './context-index.js';
import { marker } from './documents.js';

const documents = fc.array(
  fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 12 }).map((tokens) => [marker.text, ...tokens]),
  { minLength: 1, maxLength: 6 },
);
const build = (of: readonly (readonly number[])[]) => ContextIndex.build(of, new Pacer());

/** Finds by a plain loop what the index must find. */
function followers(of: readonly (readonly number[])[], context: readonly number[]): string[] {
  const found: string[] = [];
  of.forEach((document, owner) => {
    document.forEach((token, place) => {
      const matches = token >= 0 && context.every((wanted, back) => (document[place - 1 - back] ?? marker.nothing) === wanted);
      if (matches) found.push(`${owner}:${token}`);
    });
  });
  return found.sort();
}

describe('the context index', () => {
  it('finds the followers of a context of any length, and their documents', async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.array(fc.integer({ min: -2, max: 3 }), { minLength: CONTEXT_LENGTH }), async (of, past) => {
        const index = await build(of);
        const ranges = Array.from({ length: CONTEXT_LENGTH }, () => ({ from: 0, to: 0 }));
        const depth = index.find(Int32Array.from(past), ranges);
        for (let length = 1; length <= CONTEXT_LENGTH; length++) {
          const { from, to } = length <= depth ? ranges[length - 1]! : { from: 0, to: 0 };
          const found = Array.from({ length: to - from }, (_, i) => `${index.documents[from + i]}:${index.tokens[from + i]}`);
          expect(found.sort()).toEqual(followers(of, past.slice(0, length)));
        }
      }),
    );
  });

  it('counts the tokens that each one follows, and what follows it', async () => {
    const index = await build([
      [marker.text, 0, 1, 0, 1, 2, 1],
      [marker.text, 1, 1],
    ]);
    expect([...index.predecessors(4)]).toEqual([2, 4, 1, 0]);
    const { often, inAll } = index.followedBy(1, 4);
    expect([...often]).toEqual([2, 1, 1, 0]);
    expect([...inAll]).toEqual([2, 3, 1, 0]);
  });
});
