import Sequencer from '@jest/test-sequencer';

/** A walk through the dashboard, and the ledger's laws on PostgreSQL: what tells soonest that all the rest is in vain. */
const first = /smoke\.spec|lease-store\.spec/;

export default class FirstFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(({ path }) => first.test(path)), ...sorted.filter(({ path }) => !first.test(path))];
  }
}
