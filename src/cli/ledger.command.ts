import { Command } from 'commander';
import { verifyLedger } from '../billing/verify-ledger.js';
import { administering } from './administer.js';
import { CommandError } from './command-error.js';
import type { Output } from './output.js';

export function ledgerCommand(output: Output): Command {
  const administers = administering(output);
  const ledger = new Command('ledger').description('the ledger of credits');
  const verify = ledger.command('verify').description('recompute every balance from its transfers, and list what does not agree');
  // Past the service of the administration, which gives up after ten minutes: this has no limit of time.
  administers(verify, async ({ database }) => {
    const { findings, ...seen } = await verifyLedger(database);
    const [, list] = output.list(findings, { row: 'row', expected: 'expected', found: 'found', law: 'law' });
    if (findings.length > 0)
      return [{ ok: false, ...seen, findings }, list, new CommandError(`the ledger does not agree in ${findings.length} places`)];
    const answer = output.says({ ok: true, ...seen, findings });
    return answer`OK: ${seen.balances} balances agree with ${seen.transfers} transfers and ${seen.usages} usage rows.`;
  });
  return ledger;
}
