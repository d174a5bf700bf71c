import fc from 'fast-check';
import { breakerSettings } from './circuit-breaker.js';
import { OfferCircuit } from './offer-circuit.js';

const { consecutive, minimum, pauseMs, longestPauseMs, windowMs } = breakerSettings;

function setUp() {
  const clock = { now: 0 };
  const changes: string[] = [];
  const circuit = new OfferCircuit({ now: () => clock.now }, (state, account) =>
    changes.push(account === undefined ? state : `${account} ${state}`),
  );
  const attempt = (account: string, end: 'succeeded' | 'failed' | 'refused' | 'abandoned') => {
    if (!circuit.allows(account)) return false;
    circuit[end](account, circuit.begin(account));
    return true;
  };
  const fail = (account: string, times: number) => {
    for (let i = 0; i < times; i++) attempt(account, 'failed');
  };
  return { clock, changes, circuit, attempt, fail };
}

describe('OfferCircuit', () => {
  it('opens for one account by its own failures alone', () => {
    const { circuit, fail, changes } = setUp();
    fail('a', consecutive);
    expect(circuit.stateFor('a')).toBe('open');
    expect(circuit.allows('a')).toBe(false);
    expect(circuit.stateFor('b')).toBe('closed');
    expect(circuit.allows('b')).toBe(true);
    expect(circuit.state).toBe('closed');
    expect(changes).toEqual(['a open']);
  });

  it.each([
    ['aabab', 'in turn'],
    ['aaabb', 'one after the other'],
    ['abcde', 'of many accounts'],
  ])('opens for all by as many failures of several accounts: %s', (accounts) => {
    const { circuit, attempt } = setUp();
    for (const account of accounts) attempt(account, 'failed');
    expect(circuit.state).toBe('open');
    expect(circuit.allows('z')).toBe(false);
  });

  it('does not open for all by what one account meets and another meets once', () => {
    const { circuit, attempt, clock } = setUp();
    for (let i = 0; i < 1_000; i++) {
      attempt('a', 'failed');
      clock.now += 100;
    }
    attempt('b', 'failed');
    expect(circuit.state).toBe('closed');
    attempt('b', 'succeeded');
    expect(circuit.allows('b')).toBe(true);
  });

  it('opens on a share of failures only where it is a share without the account that fails most, too', () => {
    const one = setUp();
    for (let i = 0; i < 10 * minimum; i++) {
      one.circuit.failed('a', false);
      if (i % 2 === 0) one.attempt('b', 'succeeded');
    }
    expect(one.circuit.state).toBe('closed');
    const two = setUp();
    for (let i = 0; i < minimum; i++) two.circuit[i % 4 >= 2 ? 'failed' : 'succeeded'](i % 2 === 0 ? 'a' : 'b', false);
    expect(two.circuit.state).toBe('open');
  });

  it('lets two accounts try after the pause, so that neither keeps the other waiting', () => {
    const { circuit, attempt, clock } = setUp();
    for (const account of 'abcde') attempt(account, 'failed');
    clock.now += pauseMs;
    expect(circuit.allows('slow')).toBe(true);
    const trial = circuit.begin('slow');
    expect(trial).toBe(true);
    expect(circuit.allows('slow')).toBe(false);
    expect(attempt('b', 'succeeded')).toBe(true);
    expect(circuit.state).toBe('closed');
    circuit.failed('slow', trial);
    expect(circuit.state).toBe('closed');
  });

  it('is not kept open by one account whose trials fail', () => {
    const { circuit, attempt, clock } = setUp();
    for (const account of 'abcde') attempt(account, 'failed');
    for (let i = 0; i < 5; i++) {
      clock.now += longestPauseMs;
      expect(attempt('a', 'failed')).toBe(true);
      expect(circuit.allows('a')).toBe(false);
      expect(circuit.allows('f')).toBe(true);
    }
    expect(attempt('f', 'succeeded')).toBe(true);
    expect(circuit.stateFor('f')).toBe('closed');
  });

  it('opens again, for longer, where the trials of two accounts fail', () => {
    const { circuit, attempt, clock } = setUp();
    for (const account of 'abcde') attempt(account, 'failed');
    clock.now += pauseMs;
    attempt('f', 'failed');
    attempt('g', 'failed');
    expect(circuit.state).toBe('open');
    clock.now += 2 * pauseMs - 1;
    expect(circuit.state).toBe('open');
    clock.now += 1;
    expect(circuit.state).toBe('half_open');
  });

  it('opens for all where a probe confirms what one account has met', () => {
    const { circuit, fail } = setUp();
    circuit.probeFailed();
    circuit.succeeded('b', false);
    expect(circuit.state).toBe('closed');
    fail('a', consecutive);
    circuit.probeFailed();
    expect(circuit.state).toBe('open');
  });

  it('opens for all by probes in a row, and lets all try when one answers', () => {
    const { circuit } = setUp();
    for (let i = 0; i < consecutive; i++) circuit.probeFailed();
    expect(circuit.state).toBe('open');
    circuit.endPause();
    expect(circuit.state).toBe('half_open');
    circuit.probeFailed();
    expect(circuit.state).toBe('open');
  });

  it('lets the accounts that have met an outage in again with the first success', () => {
    const { circuit, attempt, fail, clock } = setUp();
    fail('a', consecutive);
    fail('b', 2);
    clock.now += pauseMs;
    attempt('a', 'failed');
    expect(circuit.allows('a')).toBe(false);
    attempt('b', 'succeeded');
    expect(circuit.allows('a')).toBe(true);
  });

  it('takes a request that is at fault neither as a failure nor as an answer to the others', () => {
    const { circuit, attempt, clock } = setUp();
    for (const account of 'abcd') attempt(account, 'failed');
    for (let i = 0; i < 100; i++) attempt('x', 'refused');
    attempt('e', 'failed');
    expect(circuit.state).toBe('open');
    clock.now += pauseMs;
    attempt('x', 'refused');
    expect(circuit.state).toBe('half_open');
  });

  it('remembers a bounded number of accounts, and none that fails no longer', () => {
    const { attempt, clock, changes } = setUp();
    for (let i = 0; i < 3; i++) attempt(`${i}`, 'failed');
    clock.now += windowMs;
    for (let i = 0; i < 3; i++) attempt(`${i}`, 'succeeded');
    const many = setUp();
    many.fail('first', consecutive);
    for (let i = 0; i < 1_000; i++) {
      for (let j = 0; j < 2; j++) many.attempt('well', 'succeeded');
      many.attempt(`${i}`, 'failed');
    }
    expect(many.circuit.allows('first')).toBe(true);
    expect(many.changes).toEqual(['first open', 'first closed']);
    expect(changes).toEqual([]);
  });

  const end = fc.constantFrom('succeeded' as const, 'failed' as const, 'refused' as const, 'abandoned' as const);

  it('never refuses anybody because of one account, whatever it does and however slowly', () => {
    const step = fc.record({ wait: fc.nat(40_000), by: fc.nat(2), end, slow: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const { circuit, clock } = setUp();
        const slow: boolean[] = [];
        for (const { wait, by, end: how, slow: held } of steps) {
          clock.now += wait;
          if (by > 0) {
            expect(circuit.allows(`well ${by}`)).toBe(true);
            circuit.succeeded(`well ${by}`, circuit.begin(`well ${by}`));
          } else if (held) slow.push(circuit.begin('adversary'));
          // It may force its attempts, where it has several offers to choose from.
          else circuit[how]('adversary', slow.length > 0 ? slow.shift()! : circuit.begin('adversary'));
        }
        expect(circuit.state).toBe('closed');
      }),
    );
  });

  it('pauses an account that meets an outage after as few failures as ever, however many accounts there are', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(4), { minLength: 60, maxLength: 300 }), fc.integer({ min: 1, max: 5 }), (turns, accounts) => {
        const { circuit, attempt, clock } = setUp();
        const failures = new Map<string, number>();
        let asked = 0;
        for (const turn of turns) {
          const account = `${turn % accounts}`;
          if (attempt(account, 'failed')) {
            asked++;
            failures.set(account, (failures.get(account) ?? 0) + 1);
          }
          if (failures.get(account)! >= consecutive) expect(circuit.allows(account)).toBe(false);
          clock.now += 10;
        }
        // The first failures, and two trials after each pause: of 1 s, 2 s, ...
        expect(asked).toBeLessThanOrEqual(
          consecutive + (accounts > 1 ? consecutive - 1 : 0) + 2 * Math.ceil(Math.log2(turns.length / 100 + 2)),
        );
      }),
    );
  });

  it('is never stuck: whatever happened, it allows everybody an attempt after the longest pause', () => {
    const step = fc.record({ wait: fc.nat(60_000), by: fc.nat(3), end });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { clock, attempt } = setUp();
        for (const { wait, by, end: how } of steps) {
          clock.now += wait;
          attempt(`${by}`, how);
        }
        clock.now += longestPauseMs;
        for (let by = 0; by < 4; by++) expect(attempt(`${by}`, 'abandoned')).toBe(true);
      }),
    );
  });
});
