import { Command } from 'commander';
import { verifyLedger } from '../billing/verify-ledger.js';
import { administer } from './administer.js';
import { CommandError } from './command-error.js';
import { type CommonOptions, withCommonOptions } from './common-options.js';
import type { Output } from './output.js';

export function ledgerCommand(output: Output): Command {
  const ledger = new Command('ledger').description('the ledger of credits');

  withCommonOptions(
    ledger.command('verify').description('recompute every balance from its transfers, and list what does not agree'),
  ).action(async ({ json, ...options }: CommonOptions) => {
    const { findings, ...seen } = await administer(options, 'ledger verify', ({ database }) => verifyLedger(database));
    if (json) output.json({ ok: findings.length === 0, ...seen, findings });
    else if (findings.length === 0)
      output.line`OK: ${seen.balances} balances agree with ${seen.transfers} transfers and ${seen.usages} usage rows.`;
    else {
      output.table(
        ['row', 'expected', 'found', 'law'],
        findings.map(({ row, expected, found, law }) => [row, expected, found, law]),
      );
    }
    if (findings.length > 0) throw new CommandError(`the ledger does not agree in ${findings.length} places`);
  });

  return ledger;
}
