import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Administration {
  /** Of an operator. */
  readonly token: string;
  /** What was made, by the names of the parameters of addresses. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Makes an operator's token and, with it, something of each kind that addresses name. */
export async function makeAdministration(program: string, cwd: string, url: string): Promise<Administration> {
  const { stdout } = await run(process.execPath, [join(program, 'cli/main.js'), 'tokens', 'create', '--role', 'operator', '--json'], {
    cwd,
  });
  const { token } = JSON.parse(stdout) as { token: string };
  const make = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/admin/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { id: string }).id;
  };
  const account = await make('accounts', { name: 'Fuzz' });
  const project = await make(`accounts/${account}/projects`, { name: 'Fuzz' });
  const key = await make(`accounts/${account}/keys`, { environment: 'test' });
  return { token, ids: { account, project, key } };
}
