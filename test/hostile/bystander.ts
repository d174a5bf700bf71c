/**
 * The bystander, a process of its own so that its figures are the gateway's: an ordinary customer who asks for small
 * answers all the time, of a provider of its own and now and then of the one that is attacked.
 */
import { Agent } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Report, Target, Telling } from './bystander-process.ts';
import { ask, messages } from './customer.ts';
import { NEIGHBOUR } from './hostile-provider.ts';
import { waitedForCore } from '../support/process-figures.ts';

/** Milliseconds between two requests to its own provider, and between two to the attacked one. */
const QUIET_EVERY = 25;
const NEIGHBOUR_EVERY = 200;
const PATIENCE = 40_000;

const whole = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'quiet',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Good morning.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
});
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(whole));
});

interface Window {
  quiet: number[];
  neighbour: number[];
  failures: Map<string, number>;
  open: Set<Promise<void>>;
}

const emptyWindow = (): Window => ({ quiet: [], neighbour: [], failures: new Map(), open: new Set() });
const agent = new Agent({ keepAlive: true, maxSockets: Infinity, timeout: 10_000 });
let target: Target | undefined;
let window = emptyWindow();

const bodyOf = (model: string) =>
  Buffer.from(JSON.stringify({ model, max_tokens: 40, messages: messages(`Good morning from ${NEIGHBOUR}`) }));

function send(kind: 'quiet' | 'neighbour'): void {
  if (!target) return;
  const [into, of] = [window, target];
  const asked = measure(kind, of, into).finally(() => into.open.delete(asked));
  into.open.add(asked);
}

async function measure(kind: 'quiet' | 'neighbour', { pid, url, key, neighbour }: Target, into: Window): Promise<void> {
  const waited = (): number => waitedForCore(pid) + waitedForCore(process.pid);
  const before = waited();
  const { status, ms, end } = await ask(url, key, bodyOf(kind === 'quiet' ? 'quiet' : neighbour), { agent, patience: PATIENCE });
  // What other programs of this machine took from the two is not the gateway's doing.
  into[kind].push(Math.max(0, ms - Math.max(0, waited() - before)));
  if (status === 200) return;
  const what = `${kind} ${status || end}`;
  into.failures.set(what, (into.failures.get(what) ?? 0) + 1);
}

async function report(): Promise<Report> {
  const mine = window;
  window = emptyWindow();
  await Promise.all(mine.open);
  return { quiet: mine.quiet, neighbour: mine.neighbour, failures: [...mine.failures] };
}

process.on('message', (telling: Telling) => {
  if (telling.what === 'ask') target = telling.target;
  if (telling.what === 'rest') target = undefined;
  if (telling.what === 'begin') window = emptyWindow();
  if (telling.what === 'report') void report().then((found) => process.send!(found));
});
process.on('disconnect', () => process.exit());

server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
setInterval(() => send('quiet'), QUIET_EVERY);
setInterval(() => send('neighbour'), NEIGHBOUR_EVERY);
