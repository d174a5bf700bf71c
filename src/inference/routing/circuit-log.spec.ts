import { setImmediate as nextTurn } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CircuitLog } from './circuit-log.js';

describe('CircuitLog', () => {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    for (const level of ['log', 'warn'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation((text: unknown) => lines.push(`${level}: ${String(text)}`));
  });
  afterEach(() => jest.restoreAllMocks());

  it('logs circuits that open together in one line of bounded length', async () => {
    const log = new CircuitLog();
    for (let offer = 0; offer < 400; offer++) log.changed(`a/m${offer}`, 'open');
    await nextTurn();
    expect(lines).toEqual(['warn: Paused after failures: a/m0, a/m1, a/m2, a/m3, a/m4, a/m5, a/m6, a/m7, a/m8, a/m9 and 390 more']);
  });

  it('logs that a circuit has closed, but not each failed probe', async () => {
    const log = new CircuitLog();
    for (const states of [['open'], ['half_open', 'open'], ['half_open'], ['open'], ['half_open', 'closed'], ['open']] as const) {
      for (const state of states) log.changed('a/m', state);
      await nextTurn();
    }
    expect(lines).toEqual(['warn: Paused after failures: a/m', 'log: Back in service: a/m', 'warn: Paused after failures: a/m']);
  });
});
