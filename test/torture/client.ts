import { Agent, type IncomingMessage, request } from 'node:http';
import { textOf } from '../chaos/answers.ts';
import type { GatewayRun } from './gateway.ts';
import { bodyOf, type Script } from './script.ts';

/** Milliseconds after which an answer counts as stuck. */
const STUCK = 60_000;

/** One request as its client saw it. */
export interface Sent {
  readonly script: Script;
  readonly account: number;
  readonly gateway: number;
  readonly run: GatewayRun;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  endedAt: number;
  /** The gateway's request id; unknown where no response head came. */
  id: string | undefined;
  /** HTTP status; 0 where no response head came. */
  status: number;
  /** The message of a refusal. */
  refusal: string;
  /** Tokens that arrived. */
  tokens: number;
  /** Tokens in what arrived last: at least one write of the gateway. */
  lastRead: number;
  /**
   * `done`: whole. `error`: a stream that ended in an error event. `left`: by the client. `broken`: neither end came.
   */
  end: 'done' | 'error' | 'left' | 'broken' | 'stuck';
  /** What was wrong with the answer, if anything was. */
  wrong: string | undefined;
}

/** Sends requests, and counts the tokens that arrive. */
export class TortureClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  close(): void {
    this.#agent.destroy();
  }

  /** @param patience milliseconds for which a client that leaves before the first piece waits */
  ask(key: string, sent: Sent, patience: number): Promise<void> {
    const { script } = sent;
    const body = bodyOf(script);
    return new Promise((resolve) => {
      let text = '';
      /** Up to where whole events were counted. */
      let counted = 0;
      let ended = false;
      const finish = (end: Sent['end']): void => {
        if (ended) return;
        ended = true;
        clearTimeout(stuck);
        sent.end = end;
        sent.endedAt = performance.now();
        resolve();
      };
      const leave = (end: 'left' | 'stuck'): void => {
        finish(end);
        outgoing.destroy();
      };
      const stuck = setTimeout(() => leave('stuck'), STUCK);
      const outgoing = request(`${sent.run.url}/chat/completions`, {
        method: 'POST',
        agent: this.#agent,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      });
      outgoing.on('error', () => finish('broken'));
      outgoing.on('response', (response: IncomingMessage) => {
        sent.status = response.statusCode!;
        sent.id = response.headers['x-request-id'] as string;
        response.setEncoding('utf8');
        response.on('data', (data: string) => {
          text += data;
          const whole = text.lastIndexOf('\n\n') + 2;
          if (!script.stream || whole <= counted) return;
          receive(sent, text.slice(counted, whole));
          counted = whole;
          if (script.end === 'leave' && sent.tokens === script.pieces && !ended) leave('left');
        });
        response.on('error', () => finish('broken'));
        response.on('end', () => finish(this.#endOf(sent, text)));
        response.on('close', () => finish('broken'));
      });
      outgoing.end(body);
      if (script.end === 'leave' && script.pieces === 0) setTimeout(() => leave('left'), patience);
    });
  }

  #endOf(sent: Sent, text: string): Sent['end'] {
    if (sent.status !== 200) {
      const envelope = /^\{"error":\{"message":"(.+)","type":".+","code":".+"/.exec(text);
      if (envelope) sent.refusal = envelope[1]!;
      else sent.wrong = `a refusal without envelope: ${text.slice(0, 200)}`;
      return 'error';
    }
    if (!sent.script.stream) {
      receive(sent, text);
      const { content } = (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]!.message;
      if (content !== textOf(sent.tokens)) sent.wrong = 'another text';
      return 'done';
    }
    const content = Array.from(text.matchAll(/"delta":\{"content":"([^"]*)"/g), ([, piece]) => piece).join('');
    if (content !== textOf(sent.tokens)) sent.wrong = 'another text';
    if (text.endsWith('data: [DONE]\n\n')) return 'done';
    if (/\ndata: \{"error":\{"message":"[^"]+","type":"[^"]+","code":"[^"]+"\}\}\n\n$/.test(text)) return 'error';
    sent.wrong = 'a stream that ended without [DONE] and without an error';
    return 'broken';
  }
}

function receive(sent: Sent, text: string): void {
  const tokens = text.match(/w\d+ /g)?.length ?? 0;
  if (tokens === 0) return;
  sent.lastRead = tokens;
  sent.tokens += tokens;
}
