import { jest } from '@jest/globals';

/** Has `jest.setSystemTime` move the clock, while timers and everything else go on as they are. */
export function fakeDate(): void {
  jest.useFakeTimers({
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
}
