/**
 * What specs get for `fast-check`. With SWITCHYARD_TEST_SEED, an integer, every property is tried with the same values
 * in each run: a change is judged by what it changes. Without, with other values in each run; a property that fails
 * names its seed, which can be given so.
 */
import fc from '../../node_modules/fast-check/lib/fast-check.js';

const { SWITCHYARD_TEST_SEED: seed } = process.env;

if (seed !== undefined) {
  if (!/^-?\d+$/.test(seed)) throw new Error(`SWITCHYARD_TEST_SEED is not an integer: ${seed}`);
  fc.configureGlobal({ seed: Number(seed) });
}

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
