import { PassThrough } from 'node:stream';
import { Output } from '../output.js';
import { run } from '../run.js';

/** One command as a process runs it: its exit code and what it has written. */
export async function runCommand(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const code = await run(args, new Output(out, err));
  const text = async (stream: PassThrough) => Buffer.concat((await stream.end().toArray()) as Buffer[]).toString();
  return { code, out: await text(out), err: await text(err) };
}
