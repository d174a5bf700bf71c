import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export interface Asking {
  /** Without /v1. */
  readonly path?: string;
  readonly headers?: Record<string, string>;
  /** Leaves as soon as this says so of what has come. */
  readonly leave?: (answer: Answer, newBytes: number) => boolean;
  /** Milliseconds from then until it does. */
  readonly leaveLater?: number;
  /** Leaves after so many milliseconds. */
  readonly leaveAfter?: number;
  /** Leaves when it resolves. */
  readonly leaveWhen?: Promise<unknown>;
  /** Bytes a second that are read at most. */
  readonly rate?: number;
  /** Reads nothing more after so many bytes. */
  readonly stallAfter?: number;
  /** Milliseconds after which the request is given up. */
  readonly patience?: number;
  readonly agent?: Agent;
  /** Called when the gateway has read the head and asks for the body. */
  readonly accepted?: () => void;
}

/** What a client has received. */
export interface Answer {
  /** 0 where no head came. */
  status: number;
  headers: IncomingMessage['headers'];
  /** The last 64 KiB. */
  tail: string;
  bytes: number;
  end: 'whole' | 'broken' | 'left' | 'given up';
  ms: number;
  /** Milliseconds on the clock of `performance.now()` at which the client has left. */
  leftAt: number | undefined;
}

const KEPT = 65_536;
const PATIENCE = 90_000;
/** Milliseconds between two reads of a slow reader. */
const TICK = 10;

/** Whether a stream has come to its regular end. */
export const isDone = ({ tail }: Answer): boolean => tail.endsWith('data: [DONE]\n\n');

export const messages = (content: unknown): object[] => [{ role: 'user', content }];

/** Sends one request and reads, or does not read, its answer. Never rejects. */
export function ask(url: string, key: string | undefined, body: object | Buffer | string, asking: Asking = {}): Promise<Answer> {
  const {
    path = '/chat/completions',
    headers = {},
    leave,
    leaveLater,
    leaveAfter,
    leaveWhen,
    rate,
    stallAfter,
    patience = PATIENCE,
    agent,
    accepted,
  } = asking;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const answer: Answer = { status: 0, headers: {}, tail: '', bytes: 0, end: 'broken', ms: 0, leftAt: undefined };
  const began = performance.now();
  return new Promise((resolve) => {
    let ended = false;
    const finish = (end: Answer['end']): void => {
      if (ended) return;
      ended = true;
      answer.end = end;
      answer.ms = performance.now() - began;
      clearTimeout(patienceTimer);
      clearTimeout(leaveTimer);
      resolve(answer);
    };
    const go = (end: 'left' | 'given up'): void => {
      answer.leftAt ??= performance.now();
      outgoing.destroy();
      finish(end);
    };
    const patienceTimer = setTimeout(() => go('given up'), patience);
    let leaveTimer = leaveAfter === undefined ? undefined : setTimeout(() => go('left'), leaveAfter);
    const outgoing = request(url + path, {
      method: 'POST',
      agent: agent ?? false,
      headers: {
        ...(key && { authorization: `Bearer ${key}` }),
        'content-type': 'application/json',
        'content-length': String(bytes.length),
        ...(accepted && { expect: '100-continue' }),
        ...headers,
      },
    });
    if (accepted) outgoing.on('continue', accepted);
    void leaveWhen?.then(() => ended || go('left'));
    outgoing.on('error', () => finish('broken'));
    outgoing.on('response', (response) => {
      answer.status = response.statusCode!;
      answer.headers = response.headers;
      const take = (data: Buffer): void => {
        answer.bytes += data.length;
        answer.tail = (answer.tail + data.toString('latin1')).slice(-KEPT);
        if (leave?.(answer, data.length)) {
          if (leaveLater === undefined) go('left');
          else leaveTimer = setTimeout(() => go('left'), leaveLater);
        }
      };
      response.on('error', () => finish('broken'));
      response.on('close', () => finish(response.complete ? 'whole' : 'broken'));
      if (rate === undefined && stallAfter === undefined) {
        response.on('data', take);
        response.on('end', () => finish('whole'));
      } else void readSlowly(response, take, () => ended, answer, rate ?? Infinity, stallAfter ?? Infinity);
    });
    outgoing.end(bytes);
  });
}

/** Takes what there is in small portions, so that the kernel's buffers fill and the gateway feels it. */
async function readSlowly(
  response: IncomingMessage,
  take: (data: Buffer) => void,
  ended: () => boolean,
  answer: Answer,
  rate: number,
  stallAfter: number,
): Promise<void> {
  response.on('end', () => undefined);
  const began = performance.now();
  while (!ended() && !response.destroyed) {
    let allowance = Math.min((rate * (performance.now() - began)) / 1000, stallAfter) - answer.bytes;
    while (allowance > 0) {
      const data = response.read(Math.min(Math.ceil(allowance), Math.max(1, response.readableLength))) as Buffer | null;
      if (data === null) break;
      take(data);
      allowance -= data.length;
    }
    await wait(TICK);
  }
}
