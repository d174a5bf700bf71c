import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shown } from '../errors/thrown.js';

/** Milliseconds that Node may take to look for the place of an error. */
const CHECK_TIME = 5_000;

const decorator = /^\s*(?:export\s+(?:default\s+)?)?@[A-Za-z_$]/;

/**
 * Says where a file is no JavaScript, and what to do about TypeScript that Node does not run: it takes types out, and
 * neither decorators nor what has to be made of types.
 * @param last the file that was read last
 * @returns undefined where the error is not about the syntax of a file
 */
export function syntaxProblem(error: unknown, last: string | undefined): string | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  const reason = error.message.split('\n', 1)[0]!;
  // V8 puts the place before the name of the error, if at all.
  const [, file = last, line] = /^(?:file:\/\/)?(\/[^\n]*):(\d+)\n/.exec(error.stack ?? '') ?? [];
  if (file === undefined) return undefined;
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  const construct = /^TypeScript (.*) is not supported/.exec(reason)?.[1];
  const decorated = /\.[cm]?ts$/.test(path) ? decoratorLine(path) : undefined;
  if (construct !== undefined || decorated !== undefined)
    return `${shown(path)}:${decorated ?? line}: Node runs TypeScript only where taking its types out is enough, and this is a ${
      decorated === undefined ? construct : 'decorator'
    }; build the module to JavaScript (tsc with experimentalDecorators and emitDecoratorMetadata) and name what was built`;
  const place = line ?? checkedLine(path);
  return `${reason} (${shown(path)}${place === undefined ? '' : `:${place}`})`;
}

function decoratorLine(path: string): number | undefined {
  const line = readFileSync(path, 'utf8')
    .replace(/\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .split('\n')
    .findIndex((text) => decorator.test(text));
  return line < 0 ? undefined : line + 1;
}

/** Node tells the place of an error in a module only where it checks the file by itself. */
function checkedLine(path: string): string | undefined {
  const { stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8', timeout: CHECK_TIME });
  return /:(\d+)\n/.exec(stderr ?? '')?.[1];
}
