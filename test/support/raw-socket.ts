import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** 0 where the connection closed without an answer. */
  readonly status: number;
  /** Lower-case names; of a repeated header the last value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Everything received. */
  readonly text: string;
  readonly closed: boolean;
}

/** Milliseconds. */
const PATIENCE = 30_000;
/** Characters of an answer that an error tells. */
const MAX_SAID = 2_000;

export type Bytes = string | Uint8Array;

/**
 * Opens a connection, writes the bytes as they are and reads one answer, or whatever there is when the connection
 * closes.
 */
export async function sendRaw(port: number, bytes: Bytes | readonly Bytes[], timeout = PATIENCE): Promise<RawAnswer> {
  const socket = await open(port);
  try {
    for (const piece of typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes) socket.write(piece);
    return await readAnswer(socket, timeout);
  } finally {
    socket.destroy();
  }
}

export function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

export function readAnswer(socket: Socket, timeout = PATIENCE): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let text = '';
    let missing = 0;
    const said = () => JSON.stringify(text.slice(0, MAX_SAID));
    const timer = setTimeout(() => done(new Error(`no whole answer within ${timeout} ms, got ${said()}`)), timeout);
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      missing -= chunk.length;
      // A long answer is parsed once its length is there, and not with every chunk.
      if (missing > 0) return;
      const answer = parseAnswer(text);
      if (!answer) return;
      missing = missingOf(answer);
      if (missing <= 0) done(answer);
    };
    const onClose = (): void => done({ status: 0, headers: {}, body: '', ...parseAnswer(text), text, closed: true });
    const done = (result: RawAnswer | Error): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    socket.on('data', onData).once('close', onClose);
    if (socket.destroyed) onClose();
  });
}

function parseAnswer(text: string): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n');
  const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
  if (end < 0 || !status) return undefined;
  if (status === '100') {
    const answer = parseAnswer(text.slice(end + 4));
    return answer && { ...answer, text };
  }
  const lines = text.slice(0, end).split('\r\n').slice(1);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(status), headers, body: Buffer.from(text.slice(end + 4), 'latin1').toString(), text, closed: false };
}

/** Bytes that are still to come; 1 where that is not known. */
function missingOf({ headers, body }: RawAnswer): number {
  const length = headers['content-length'];
  if (length !== undefined) return Number(length) - Buffer.byteLength(body);
  return body.endsWith('0\r\n\r\n') ? 0 : 1;
}
