/** What specs import from `@jest/globals`, for spec files that Node loads: the members of `jest` that they use. */
const { mocker, timers } = globalThis[Symbol.for('switchyard.jest')];

export const jest = {
  fn: (implementation) => mocker.fn(implementation),
  spyOn: (object, ...names) => mocker.spyOn(object, ...names),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  setSystemTime: (time) => timers.setSystemTime(time),
  advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
  advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
  /** Milliseconds for each test of the file. */
  setTimeout(milliseconds) {
    globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = milliseconds;
  },
};

export const { describe, it, test, expect, beforeAll, afterAll, beforeEach, afterEach } = globalThis;
