import { longForm } from '../../src/common/testing/long-form.js';

export { longForm };

/** All in the long form, and one of each `every` otherwise. */
export const someOf = <T>(all: readonly T[], every: number): T[] => all.filter((_, index) => longForm || index % every === 0);
