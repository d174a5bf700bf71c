/** What `--slow` makes dear, and which rows have to leave their target then. */
export const steps = {
  request: '0.5 ms more for each request: 1 KB, their first seconds, latency, first chunk',
  first: '2 ms more for each of the first 1,000 requests of a load: first 1000 by warm ones',
  body: '20 ns more for each byte of a request: 10 KB, 100 KB and 1 MB prompts',
  read: '20 ns more for each byte from the provider: stream, flat out',
  foreign: '40 ns more for each byte that speaks Anthropic or Gemini: protocols',
  write: '0.2 ms more for each write to a socket: stream, paced; later chunk',
  stall: '20 ms of each 100 in which nothing is done: merged chunks',
  parse: '20 µs more for each JSON.parse: chat-completions parsed (which has no target; it doubles)',
  start: '1 s more before it listens: cold start',
  memory: '100 MB, and 100 KB kept for each request: idle memory, open streams',
  leave: 'clients that leave are not noticed: connections left',
  ledger: '0.2 ms more for each Date.now(), of which a hold and a settlement take one each: ledger',
} as const;

export type Step = keyof typeof steps;

export function isStep(word: string): word is Step {
  return word in steps;
}
