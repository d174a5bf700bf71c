import type { HeldLease } from './held-lease.js';
import type { HoldRequest } from './ledger.js';
import { settle } from './purse.js';
import type { Wallet } from './wallet.js';
import { type Admission, worstCase } from './worst-case.js';

/** What was held for a request, in each of its wallets. */
export interface HeldFromAll {
  /** In the order of the wallets. */
  readonly leases: HeldLease[];
  readonly admission: Admission;
}

/** Holds an amount in all of these wallets, or in none where one of them lacks it in memory. */
export function takeFromAll(wallets: readonly Wallet[], amount: bigint, now: number): HeldLease[] | undefined {
  const leases: HeldLease[] = [];
  for (const wallet of wallets) {
    const lease = wallet.take(amount, now);
    if (lease) leases.push(lease);
    else {
      giveBack(wallets, leases, amount);
      return undefined;
    }
  }
  return leases;
}

/**
 * Holds a request's worst case in one wallet after the other, waiting where memory cannot pay. Where one lowers its
 * tokens, the others hold no more than that.
 * @param wait holds in one wallet, once the store has been asked; rejects where there is nothing
 */
export async function waitForAll(
  wallets: readonly Wallet[],
  request: HoldRequest,
  wait: (request: HoldRequest, wallet: Wallet) => Promise<{ lease: HeldLease; admission: Admission }>,
): Promise<HeldFromAll> {
  const leases: HeldLease[] = [];
  let admission: Admission = { amount: worstCase(request, request.maxTokens), maxTokens: request.maxTokens };
  for (const wallet of wallets) {
    const { amount, maxTokens } = admission;
    const lease = wallet.take(amount, performance.now());
    if (lease) {
      leases.push(lease);
      continue;
    }
    try {
      const held = await wait({ ...request, maxTokens }, wallet);
      giveBack(wallets, leases, amount - held.admission.amount);
      leases.push(held.lease);
      admission = held.admission;
    } catch (error) {
      giveBack(wallets, leases, amount);
      throw error;
    }
  }
  return { leases, admission };
}

/** Frees an amount that was held in the first of these wallets, for those who wait there too. */
function giveBack(wallets: readonly Wallet[], leases: readonly HeldLease[], amount: bigint): void {
  if (amount === 0n) return;
  for (const [index, lease] of leases.entries()) {
    settle(lease.purse, amount, 0n);
    if (wallets[index]!.lease === lease) wallets[index]!.serve(performance.now());
  }
}
