import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ManualClock } from '../../common/testing/manual-clock.js';
import type { LeasedHold } from '../hold/leased-hold.js';
import type { RequestFacts } from '../hold/request-facts.js';
import type { Wallet } from '../hold/wallet.js';
import { Wallets } from '../hold/wallets.js';
import { ONE_NANO, request } from '../testing/ledger-bench.js';
import { NoDelivery } from '../testing/no-delivery.js';
import type { Journal } from './journal.js';
import type { LeaseStore } from './lease-store.js';
import { LeaseWriter } from './lease-writer.js';
import type { LedgerAnswer, LedgerBatch } from './ledger-batch.js';

/** Long enough for everything but timers. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('a store that does not answer', () => {
  const principal = { accountId: 'account', environment: 'live', keyId: 'key' } as const;
  const journal = { error: undefined, full: false } as Journal;
  const down = () => Promise.reject(new Error('down'));
  let wallet: Wallet;
  let writer: LeaseWriter;
  let said: unknown[];
  let clock: ManualClock;
  const sync = jest.fn<(batch: LedgerBatch) => Promise<LedgerAnswer>>();

  beforeEach(() => {
    Logger.overrideLogger(false);
    clock = new ManualClock();
    const wallets = new Wallets(clock);
    wallet = wallets.of(principal);
    sync.mockReset();
    writer = new LeaseWriter({ sync } as unknown as LeaseStore, journal, 60_000, 1_000, wallets, new NoDelivery());
    said = [];
  });
  afterEach(async () => {
    sync.mockImplementation(granting(0n));
    await writer.stop();
  });

  const wait = (maxTokens: number): void => {
    wallet.wait(
      request(principal, { maxTokens }),
      10_000,
      (_, { amount }) => said.push(amount),
      (error) => said.push(error),
    );
    writer.wanted(wallet);
  };
  const granting =
    (granted: bigint) =>
    ({ grants }: LedgerBatch): Promise<LedgerAnswer> => {
      for (const { demand } of grants) demand({ available: granted, elsewhere: 0n, reached: undefined });
      return Promise.resolve({
        leases: new Map(grants.map(({ leaseId }) => [leaseId, { account: '', granted, spent: 0n, recalled: 0n }])),
        grants: new Map(grants.map(({ leaseId }) => [leaseId, { posted: granted, recall: undefined }])),
      });
    };

  it('is asked again before anybody is refused, once for all that wait', async () => {
    sync.mockImplementationOnce(down).mockImplementation(granting(100n));
    wait(10);
    await turns();
    for (let count = 0; count < 5; count++) wait(10);
    await turns();
    expect([said, sync.mock.calls.length, writer.available]).toEqual([[], 1, true]);
    await clock.advance(249);
    expect(said).toEqual([]);
    await clock.advance(1);
    expect(said).toEqual([10n, 10n, 10n, 10n, 10n, 10n]);
  });

  it('is unavailable when it has not answered for a second, until it does', async () => {
    sync.mockImplementation(down);
    wait(10);
    await clock.advance(300);
    wait(20);
    await clock.advance(699);
    expect([said, writer.available]).toEqual([[], true]);
    await clock.advance(1);
    const unavailable = expect.objectContaining({ code: 'service_unavailable' });
    expect([said, writer.available]).toEqual([[unavailable, unavailable], false]);
    sync.mockImplementation(granting(100n));
    await clock.advance(250);
    expect(writer.available).toBe(true);
    wait(30);
    await turns();
    expect(said.slice(2)).toEqual([30n]);
  });

  it('is found out while nobody asks for anything, until it does again', async () => {
    writer.start();
    sync.mockImplementation(down);
    await clock.advance(15_000 + 1_000);
    expect(writer.available).toBe(false);
    sync.mockImplementation(granting(0n));
    await clock.advance(250);
    expect(writer.available).toBe(true);
  });

  it('refuses at once who asks for what it will never take', async () => {
    sync
      .mockImplementationOnce(() => Promise.reject(Object.assign(new Error('check'), { code: '23514' })))
      .mockImplementation(granting(100n));
    wait(10);
    await turns();
    expect(said).toEqual([expect.objectContaining({ code: 'service_unavailable' })]);
  });
});

describe('a store that is told of what was answered', () => {
  const journal = { error: undefined, full: false } as Journal;
  const wallets = new Wallets();
  const wallet = wallets.of({ accountId: 'account', environment: 'live' });
  let writer: LeaseWriter;
  beforeEach(() => Logger.overrideLogger(false));
  afterEach(() => writer.stop());

  function begin(deliver: () => void, told: () => void): void {
    const sync = () => {
      told();
      return Promise.resolve({ leases: new Map(), grants: new Map() });
    };
    writer = new LeaseWriter({ sync } as unknown as LeaseStore, journal, 60_000, 1_000, wallets, { deliver });
  }
  async function flush(): Promise<void> {
    wallet.refill = true;
    writer.wanted(wallet);
    await turns();
  }

  it('is told after the answers of the turn were handed over', async () => {
    const order: string[] = [];
    begin(
      () => order.push('answered'),
      () => order.push('told'),
    );
    await flush();
    expect(order.slice(0, 2)).toEqual(['answered', 'told']);
  });

  it('is told also where handing them over fails, again and again', async () => {
    let times = 0;
    begin(
      () => {
        throw new Error('a response has failed');
      },
      () => times++,
    );
    await flush();
    await flush();
    expect(times).toBeGreaterThanOrEqual(2);
  });
});

it('what is to be collected is sent at once, also where it comes during a transaction', async () => {
  const journal = { error: undefined, full: false, write: () => undefined } as unknown as Journal;
  const waits: (() => void)[] = [];
  const sync = (): Promise<LedgerAnswer> => new Promise((resolve) => waits.push(() => resolve({ leases: new Map(), grants: new Map() })));
  const writer = new LeaseWriter({ sync } as unknown as LeaseStore, journal, 60_000, 60_000, new Wallets(), new NoDelivery());
  const end = (excess: bigint) => {
    const principal = { accountId: 'account', environment: 'live', keyId: 'key' } as const;
    const facts: RequestFacts = { ...request(principal), leaseId: undefined, hold: 0n, startedAt: 1 };
    const charge = { promptTokens: 0, completionTokens: 1, price: ONE_NANO, amount: 0n, excess };
    const hold = { number: 1, lease: undefined, index: -1 } as unknown as LeasedHold;
    writer.ended(hold, { request: facts, charge, outcome: 'completed', estimated: false, provider: 'p', endedAt: 2 });
  };
  end(1n);
  await turns();
  expect(waits).toHaveLength(1);
  end(0n);
  end(1n);
  waits[0]!();
  await turns();
  expect(waits).toHaveLength(2);
  waits[1]!();
  await writer.stop();
});
