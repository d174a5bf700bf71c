import type { Hold } from '../billing/hold/ledger.js';
import { AwaitedGeneration } from './awaited-generation.js';

describe('AwaitedGeneration', () => {
  const settled: unknown[] = [];
  const hold = { settle: (settlement: object) => void settled.push(settlement) } as unknown as Hold;

  async function seen(held: Promise<Hold>, { begin = () => undefined as void, leaves = false }): Promise<string[]> {
    const told: string[] = [];
    settled.length = 0;
    const client = {
      next: () => undefined,
      error: (error: unknown) => told.push((error as Error).message),
      complete: () => undefined,
    };
    const awaited = new AwaitedGeneration(
      held,
      () => {
        begin();
        told.push('begun');
        return { unsubscribe: () => told.push('left') };
      },
      client,
    );
    if (leaves) awaited.unsubscribe();
    await new Promise(setImmediate);
    awaited.unsubscribe();
    return told;
  }

  it('begins with its hold, and is left with it', async () => {
    expect(await seen(Promise.resolve(hold), {})).toEqual(['begun', 'left']);
    expect(settled).toEqual([]);
  });

  it('gives the hold back that comes when its client has left', async () => {
    expect(await seen(Promise.resolve(hold), { leaves: true })).toEqual([]);
    expect(settled).toMatchObject([{ outcome: 'client_left', usage: { total_tokens: 0 } }]);
  });

  it('fails with what it cannot hold or begin, but not whoever has left', async () => {
    const refused = () => Promise.reject(new Error('no credits'));
    expect(await seen(refused(), {})).toEqual(['no credits']);
    expect(await seen(refused(), { leaves: true })).toEqual([]);
    const begin = (): never => {
      throw new Error('broken');
    };
    expect(await seen(Promise.resolve(hold), { begin })).toEqual(['broken']);
  });
});
