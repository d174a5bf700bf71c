import { setTimeout as delay } from 'node:timers/promises';
import { LeasedHold } from './leased-hold.js';
import { LedgerBacklog, type Round } from './ledger-backlog.js';
import { request } from './testing/ledger-bench.js';
import { HeldLease, Wallets } from './wallet.js';

/** For longer than the store is left without knowledge of a request. */
const AWHILE = 120;

describe('what the store has not been told', () => {
  const principal = { accountId: 'account', environment: 'live', keyId: 'key' } as const;
  let backlog: LedgerBacklog;
  let lease: HeldLease;
  let hold: LeasedHold;

  beforeEach(() => {
    backlog = new LedgerBacklog(new Wallets(), 1_000);
    lease = new HeldLease(principal);
    hold = new LeasedHold(
      1,
      request(principal),
      lease,
      { amount: 10n, maxTokens: 10 },
      {
        progressing: () => undefined,
        progressed: (moved) => backlog.moved(moved),
        served: () => undefined,
        extend: () => false,
        ended: (ended, ending) => backlog.ended(ended, ending),
      },
    );
    backlog.begun(hold);
  });

  const round = () => backlog.compose(false, false);
  const told = ({ batch }: Round) => [batch.begins.length, ...batch.progress.map(({ completionTokens }) => completionTokens)];
  const answered = (sent: Round) =>
    backlog.apply(
      sent,
      { leases: new Map([[lease.id, { account: '', granted: 10n, spent: 0n, recalled: 0n }]]), asks: new Map() },
      Infinity,
    );

  it('is how far a request has come only once it is told that the request is there', async () => {
    hold.progress(3);
    const early = round();
    expect(told(early)).toEqual([0]);
    answered(early);
    await delay(AWHILE);
    const late = round();
    expect(told(late)).toEqual([1, 3]);
    answered(late);
    expect(told(round())).toEqual([0]);
  });

  it('is what happens while it is told', async () => {
    await delay(AWHILE);
    hold.progress(1);
    const sent = round();
    hold.progress(2);
    answered(sent);
    expect(told(round())).toEqual([0, 2]);
  });

  it('is told again when no answer comes, unless the request has ended', async () => {
    await delay(AWHILE);
    hold.progress(4);
    backlog.abandon(round(), new Error('no answer'));
    const again = round();
    expect(told(again)).toEqual([1, 4]);
    hold.settle({ outcome: 'empty', usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, estimated: false });
    backlog.abandon(again, new Error('no answer'));
    expect(told(round())).toEqual([0]);
  });
});
