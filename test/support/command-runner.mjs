import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import 'reflect-metadata';

/**
 * The process in which command-line.ts runs commands, so that each need not start one: it is told their arguments, and
 * tells what each came to. Its argument is the folder of the built command line.
 */
const load = (name) => import(new URL(name, pathToFileURL(`${process.argv[2]}/`)).href);
const [{ run }, { Output }] = [await load('run.js'), await load('output.js')];

async function answer({ id, args }) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const written = Promise.all([out, err].map(async (stream) => Buffer.concat(await stream.toArray()).toString()));
  const code = await run(args, new Output(out, err));
  out.end();
  err.end();
  const [stdout, stderr] = await written;
  process.send({ id, code, stdout, stderr });
}

process.on('message', (asked) => void answer(asked));
process.on('disconnect', () => process.exit());
