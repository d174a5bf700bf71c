import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Environment, environments } from '../../auth/principal.js';
import { formatCredits } from '../../common/prices/credits.js';
import { FINE_SECONDS, Metrics } from '../../observability/metrics.js';
import { type LeasedMoney, LeaseLedger } from './lease-ledger.js';
import { byEnvironment, LedgerFigures } from './ledger-figures.js';

/** The sums, with the one metric that is not read when the page is asked for. */
export const ledgerFigures = {
  provide: LedgerFigures,
  inject: [Metrics],
  useFactory: (metrics: Metrics) =>
    new LedgerFigures(metrics.histogram('ledger_flush_seconds', 'Transactions of the ledger with the store', [], FINE_SECONDS)),
};

/**
 * The ledger's metrics, of this process, read when the page is asked for. Balances are no metric: the command line
 * shows them.
 */
@Injectable()
export class LedgerMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly ledger: LeaseLedger,
    private readonly figures: LedgerFigures,
  ) {}

  onModuleInit(): void {
    const { metrics, ledger, figures } = this;
    const leased = (read: (leased: LeasedMoney) => number) => () =>
      Object.entries(byEnvironment((environment) => read(ledger.leased(environment))));
    metrics.gauges('ledger_leases', 'Leases held', 'environment', leased(({ leases }) => leases)); // prettier-ignore
    metrics.gauges('ledger_leased_credits', 'Credits that may be spent without asking the store', 'environment', leased(({ free }) => credits(free))); // prettier-ignore
    metrics.gauges('ledger_held_credits', 'Credits put aside for open requests', 'environment', leased(({ held }) => credits(held))); // prettier-ignore
    metrics.gauge('ledger_unwritten', 'Settlements that the journal knows and the store does not yet', () => ledger.unwritten);
    const sums = (sum: Record<Environment, bigint>) => () => environments.map((one): [string, number] => [one, credits(sum[one])]);
    metrics.counters('ledger_collected_credits_total', 'Credits collected for tokens that a provider counted beyond the hold', 'environment', sums(figures.collected)); // prettier-ignore
    metrics.counters('ledger_uncollected_credits_total', 'Credits owed and not to be had at once', 'environment', sums(figures.uncollected)); // prettier-ignore
    metrics.counters('ledger_recovered_requests_total', 'Requests settled for processes that had ended', 'environment', () =>
      environments.map((environment) => [environment, figures.recovered[environment]]),
    );
  }
}

function credits(nano: bigint): number {
  return Number(formatCredits(nano));
}
