/** What `--slow` makes dear, and which rows have to leave their target then. */
export const steps = {
  request: '0.5 ms more for each request: 1 KB, latency, first chunk',
  body: '20 ns more for each byte of a request: 100 KB and 1 MB prompts',
  read: '20 ns more for each byte from the provider: stream, flat out',
  write: '0.2 ms more for each write to a socket: stream, paced; chunk delays',
  parse: '20 µs more for each JSON.parse: chat-completions parsed (which has no target; it doubles)',
  start: '1 s more before it listens: cold start',
  memory: '100 MB, and 100 KB kept for each request: idle memory, open streams',
} as const;

export type Step = keyof typeof steps;

export function isStep(word: string): word is Step {
  return word in steps;
}
