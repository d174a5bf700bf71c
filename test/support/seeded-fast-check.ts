/**
 * What specs get for `fast-check`. Every property is tried with 25 values, or 100 in the long form, unless it says
 * otherwise. With SWITCHYARD_TEST_SEED, an integer, they are the same in each run: a change is judged by what it
 * changes. Without, they are others in each run; a property that fails names its seed, which can be given so.
 */
import * as own from '../../node_modules/fast-check/lib/fast-check.js';
import type { Arbitrary, StringConstraints } from '../../node_modules/fast-check/lib/fast-check.js';
import { samples } from '../../src/common/testing/long-form.js';

const { SWITCHYARD_TEST_SEED: seed } = process.env;

if (seed !== undefined && !/^-?\d+$/.test(seed)) throw new Error(`SWITCHYARD_TEST_SEED is not an integer: ${seed}`);
own.configureGlobal({ numRuns: samples(100), ...(seed !== undefined && { seed: Number(seed) }) });

/** A character that is no half of a pair. fast-check's own takes most of a second to make a table of them all. */
const character = own.nat({ max: 0x10ffff - 0x800 }).map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

export const string = (constraints: StringConstraints = {}): Arbitrary<string> =>
  own.string(constraints.unit === 'binary' ? { ...constraints, unit: character } : constraints);

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default { ...own, string };
