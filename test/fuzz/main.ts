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
import { GatewayProcess } from '../support/gateway-process.ts';
import { findSchemathesis } from './schemathesis.ts';
import { type Bodies, makeAdministration, type Things } from './administration.ts';
import { callsOf } from './calls.ts';
import { programOptions } from '../support/program-options.ts';

const help = `npm run fuzz [-- options]

Needs python3 with venv and pip, and the package index or its cache. Ends with 1 where an answer is a server error or is not
described: its status, its type or its body, and where an operation was not called. Where python3 is missing it says so, and
ends with 1 only with SWITCHYARD_NO_SKIP=1.

  --seconds 35       for each of the two documents, at most
  --seed 1           of what is sent
  --only api         api or administration; without it, both
`;

const values = programOptions(help, {
  seconds: { type: 'string', default: '35' },
  seed: { type: 'string', default: '1' },
  only: { type: 'string' },
});

const program = resolve(import.meta.dirname, '../../dist');
const models = ['sandbox-chat', 'sandbox-text', 'sandbox-omni', 'sandbox-rate-limited', 'sandbox-refused'];
const checks = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance'];

interface Target {
  readonly document: string;
  readonly key: string;
  readonly things: Things;
  readonly bodies: Bodies;
}

async function main(): Promise<number> {
  const schemathesis = await findSchemathesis();
  if ('missing' in schemathesis) {
    process.stdout.write(`skipped: ${schemathesis.missing}\n`);
    return process.env['SWITCHYARD_NO_SKIP'] ? 1 : 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-fuzz-'));
  const env = {
    SWITCHYARD_SANDBOX_LIVE: 'true',
    SWITCHYARD_STORE_KEEP_RESPONSES: 'true',
    SWITCHYARD_STORED_PROVIDERS_ALLOW_PRIVATE_ADDRESSES: 'true',
    SWITCHYARD_WEBHOOKS_ALLOW_HTTP: 'true',
    SWITCHYARD_WEBHOOKS_ALLOW_PRIVATE_ADDRESSES: 'true',
  };
  const gateway = new GatewayProcess([process.execPath, join(program, 'main.js')], { cwd: folder, env });
  try {
    const url = new URL(await gateway.listening()).origin;
    const [key] = await gateway.output(/\bsy-test-\w{32}\b/);
    const { token, things, bodies } = await makeAdministration(program, folder, url);
    const targets: Record<string, Target> = {
      api: { document: 'openapi.json', key, things: await makeThings(url, key), bodies },
      administration: { document: 'admin/v1/openapi.json', key: token, things, bodies },
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

/** Makes two responses that are stored, and names the models. */
async function makeThings(url: string, key: string): Promise<Things> {
  const responses = [await makeResponse(url, key), await makeResponse(url, key)] as const;
  return { 'v1/responses': responses, 'v1/models': ['sandbox-chat', 'sandbox-chat'] };
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

/** @returns its exit code, or 1 where it has left an operation out */
async function fuzz(schemathesis: string, url: string, cwd: string, { document, key, things, bodies }: Target): Promise<number> {
  const calls = join(mkdtempSync(join(cwd, 'calls-')), 'calls');
  const args = ['run', `${url}/${document}`, '--url', url, '--header', `Authorization: Bearer ${key}`];
  args.push('--checks', checks.join(), '--max-examples', '60', '--max-time', values.seconds, '--seed', values.seed, '--workers', '1');
  args.push('--request-timeout', '20', '--continue-on-failure', '--suppress-health-check', 'all', '--generation-database', 'none');
  args.push('--warnings', 'off', '--no-color', '--no-shrink');
  const env = {
    ...process.env,
    SWITCHYARD_FUZZ: JSON.stringify({ models, things, bodies, calls }),
    SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const child = spawn(schemathesis, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise<number>((ended) => {
    child.on('exit', (exit) => ended(exit ?? 1));
  });
  const { lines, missing } = await callsOf(`${url}/${document}`, key, calls);
  process.stdout.write(`\n${lines.join('\n')}\n`);
  return missing > 0 ? 1 : code;
}

process.exitCode = await main();
