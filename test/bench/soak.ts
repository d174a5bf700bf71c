import type { Gateway } from './gateway.ts';
import { sleep } from './load.ts';
import { median } from './measure.ts';
import { socketsOf } from './processes.ts';
import type { Row } from './row.ts';
import { MAX_IN_FLIGHT, SoakLoad } from './soak-load.ts';
import { residentBytes } from '../support/process-figures.ts';

export interface Sample {
  readonly seconds: number;
  readonly rssMiB: number;
  readonly sockets: number;
}

/**
 * Half of what it can, for long, with clients that leave. @returns the rows, and what the process was seen to hold over
 * the time
 */
export async function soak(gateway: Gateway, minutes: number, say: (text: string) => void): Promise<{ rows: Row[]; samples: Sample[] }> {
  const load = new SoakLoad(gateway);
  await load.saturate(10);
  const saturation = await load.saturate(10);
  const rate = saturation / 2;
  say(`saturated at ${saturation.toFixed(0)} requests/s; ${minutes} minutes at ${rate.toFixed(0)}, one in ten leaves`);
  const samples: Sample[] = [];
  await load.hold(rate, minutes * 60, (seconds) => {
    const sample = { seconds: Math.round(seconds), rssMiB: residentBytes(gateway.pid) / 2 ** 20, sockets: socketsOf(gateway.pid) };
    samples.push(sample);
    say(
      `${String(sample.seconds).padStart(5)} s  ${sample.rssMiB.toFixed(1)} MiB  ${sample.sockets} sockets  ${load.served} served, ${load.left} left, ${load.failed} failed, ${load.late} late`,
    );
  });
  load.close();
  for (const [what, count] of load.errors) say(`${count} x ${what}`);
  await sleep(2000);
  return { rows: await verdict(gateway, load, samples), samples };
}

async function verdict(gateway: Gateway, load: SoakLoad, samples: readonly Sample[]): Promise<Row[]> {
  const quarter = (from: number): number =>
    median(samples.slice((samples.length * from) / 4, Math.ceil((samples.length * (from + 1)) / 4)).map(({ rssMiB }) => rssMiB));
  const [early, late] = [quarter(1), quarter(3)];
  const usage = (await gateway.command('usage', '--by', 'outcome')) as { outcome: string; requests: number }[];
  const counted = usage.map(({ outcome, requests }) => `${outcome} ${requests}`).join(', ');
  const completed = usage.find(({ outcome }) => outcome === 'completed')?.requests ?? 0;
  const wrong = Math.max(0, load.served - completed, completed - load.served - load.left);
  const { ok } = (await gateway.command('ledger', 'verify')) as { ok: boolean };
  const none = { atMost: 0 };
  return [
    {
      name: 'soak: memory of the last quarter over the second',
      value: late / early,
      unit: 'x',
      target: { atMost: 1.1 },
      detail: `${late.toFixed(1)} against ${early.toFixed(1)} MiB`,
    },
    { name: 'soak: errors', value: load.failed, unit: '', target: none, detail: `of ${load.asked} requests, ${load.left} left` },
    { name: 'soak: requests not begun in time', value: load.late, unit: '', detail: `more than ${MAX_IN_FLIGHT} were under way` },
    { name: 'soak: answers charged wrongly often', value: wrong, unit: '', target: none, detail: `${load.served} served; ${counted}` },
    { name: 'soak: ledger not verified', value: ok ? 0 : 1, unit: '', target: none, detail: ok ? 'verified' : 'DIFFERS' },
  ];
}
