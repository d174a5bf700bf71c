/**
 * npm run fuzz [-- --help]
 *
 * Schemathesis sends a built gateway what the description of its API allows, and what it does not, and compares the
 * answers with the description.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { GatewayProcess } from '../support/gateway-process.ts';
import { findSchemathesis } from './schemathesis.ts';
import { type Administration, makeAdministration } from './administration.ts';

const help = `npm run fuzz [-- options]

Needs python3 with venv and pip, and the package index or its cache. Ends with 1 where an answer is a server error or is not
described: its status, its type or its body. Where python3 is missing it says so, and ends with 1 only with SWITCHYARD_NO_SKIP=1.

  --seconds 35       for each of the two documents, at most
  --seed 1           of what is sent
  --only api         api or administration; without it, both
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '35' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});

const program = resolve(import.meta.dirname, '../../dist');
const models = ['sandbox-chat', 'sandbox-text', 'sandbox-omni', 'sandbox-rate-limited', 'sandbox-refused'];
const checks = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance'];

interface Target {
  readonly document: string;
  readonly key: string;
  readonly ids: Administration['ids'];
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const schemathesis = await findSchemathesis();
  if ('missing' in schemathesis) {
    process.stdout.write(`skipped: ${schemathesis.missing}\n`);
    return process.env['SWITCHYARD_NO_SKIP'] ? 1 : 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-fuzz-'));
  const env = { SWITCHYARD_STORE_KEEP_RESPONSES: 'true' };
  const gateway = new GatewayProcess([process.execPath, join(program, 'main.js')], { cwd: folder, env });
  try {
    const url = new URL(await gateway.listening()).origin;
    const [key] = await gateway.output(/\bsy-test-\w{32}\b/);
    const { token, ids } = await makeAdministration(program, folder, url);
    const targets: Record<string, Target> = {
      api: { document: 'openapi.json', key, ids: { response_id: await makeResponse(url, key) } },
      administration: { document: 'admin/v1/openapi.json', key: token, ids },
    };
    let failed = 0;
    for (const [name, target] of Object.entries(targets)) {
      if (values.only !== undefined && values.only !== name) continue;
      process.stdout.write(`\n${name}: ${url}/${target.document}\n`);
      failed += await fuzz(schemathesis.program, url, folder, target);
    }
    const health = await fetch(`${url}/health/ready`);
    if (health.status !== 200) process.stdout.write(`the gateway is not ready any more: ${health.status}\n`);
    return failed > 0 || health.status !== 200 ? 1 : 0;
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the id of a response that is stored */
async function makeResponse(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'sandbox-chat', input: 'Hello' }),
  });
  return ((await answer.json()) as { id: string }).id;
}

/** @returns its exit code */
function fuzz(schemathesis: string, url: string, cwd: string, { document, key, ids }: Target): Promise<number> {
  const args = ['run', `${url}/${document}`, '--url', url, '--header', `Authorization: Bearer ${key}`];
  args.push('--checks', checks.join(), '--max-examples', '60', '--max-time', values.seconds, '--seed', values.seed, '--workers', '1');
  args.push('--request-timeout', '20', '--continue-on-failure', '--suppress-health-check', 'all', '--generation-database', 'none');
  args.push('--warnings', 'off', '--no-color', '--no-shrink');
  const env = {
    ...process.env,
    SWITCHYARD_FUZZ: JSON.stringify({ models, ids }),
    SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const child = spawn(schemathesis, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((ended) => {
    child.on('exit', (code) => ended(code ?? 1));
  });
}

process.exitCode = await main();
