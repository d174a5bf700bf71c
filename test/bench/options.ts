import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const help = `npm run bench [-- OPTIONS]

What the gateway costs beside a bare pass-through of node:http and undici that does none of its work, measured in turns in one run. Quick: 5 minutes.

  --full              longer turns; protocols of paced streams, what frameworks alone take, workers, the ledger
  --only PATTERN      the measurements whose name matches the regular expression, in any case of letters
  --list              their names
  --json FILE         the rows as JSON too
  --soak [MINUTES]    instead: half of what it can for long (default: 15), with clients that leave; memory, errors, ledger
  --profile           instead: what the main thread does for a request (warm, rules, single, body, cold) and for a chunk (stream), step by step and by whose
                      code it is, in microseconds and allocated bytes; leaves the profiles for a viewer. --only takes one of these
                      loads
  --against URL       measures another gateway that listens on this machine; it must offer the loopback provider's model
  --key KEY             the key to show it
  --model MODEL         the model to ask for (default: bench)
  --before FOLDER     compares requests with another build of ours too (--only build): the root of its repository, with dist and
                      node_modules; with --profile that one is profiled
  --provider-port PORT  where the loopback provider listens: http://127.0.0.1:PORT/v1 (default: 9100)
  --help

Ends with 1 when a row is outside its target.
`;

export interface Options {
  readonly full: boolean;
  readonly only: RegExp;
  readonly list: boolean;
  readonly json?: string;
  readonly against?: { readonly port: number; readonly key: string; readonly model: string };
  /** Absolute. */
  readonly before?: string | undefined;
  /** 0: any. */
  readonly providerPort: number;
  /** Minutes. */
  readonly soak?: number;
  readonly profile: boolean;
  readonly help: boolean;
}

/** @throws Error that says what is wrong with them */
export function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      full: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      json: { type: 'string' },
      against: { type: 'string' },
      key: { type: 'string', default: 'none' },
      model: { type: 'string', default: 'bench' },
      before: { type: 'string' },
      'provider-port': { type: 'string', default: '9100' },
      soak: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { full, list, json, help: asked, against, key, model, soak, profile } = values;
  const [minutes = 15, ...more] = positionals.map(Number);
  if (more.length > 0 || !(minutes > 0) || (positionals.length > 0 && !soak)) throw new Error(`not understood: ${positionals.join(' ')}`);
  if (against !== undefined && (soak || profile)) throw new Error('--soak and --profile work with the gateway of this folder alone');
  return {
    full,
    list,
    json,
    help: asked,
    soak: soak ? minutes : undefined,
    profile,
    only: new RegExp(values.only, 'i'),
    before: values.before === undefined ? undefined : resolve(values.before),
    against: against === undefined ? undefined : { port: portOf(against), key, model },
    providerPort: against === undefined ? 0 : Number(values['provider-port']),
  };
}

function portOf(address: string): number {
  const { hostname, port, protocol } = new URL(address);
  if (protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(hostname))
    throw new Error('--against takes an http address of this machine: load and target share its cores');
  return Number(port || 80);
}
