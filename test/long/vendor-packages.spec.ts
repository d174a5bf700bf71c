import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TemporaryPostgres } from '../../src/database/testing/temporary-postgres.js';
import { buildProgram } from '../support/built-program.js';
import { GatewayProcess } from '../support/gateway-process.js';

/** Variables that a machine may have for reasons of its own. */
const env = {
  GOOGLE_CLOUD_PROJECT: 'harbour-1',
  GOOGLE_CLOUD_LOCATION: 'eu',
  AWS_REGION: 'eu-central-1',
  AWS_BEARER_TOKEN_BEDROCK: 'of-another-program',
};

const sentences = [
  /GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION switch nothing on: .* npm install google-auth-library/,
  /AWS_BEARER_TOKEN_BEDROCK and AWS_REGION switch nothing on: .* npm install @aws-sdk\/credential-provider-node @smithy\//,
];

describe('A gateway without the packages of Amazon and Google', () => {
  let folder: string;
  let postgres: TemporaryPostgres | undefined;
  const processes: GatewayProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-packages-'));
    const program = await buildProgram();
    for (const name of ['dist', 'package.json']) cpSync(join(program, name), join(folder, name), { recursive: true, dereference: true });
    const installed = realpathSync(join(program, 'node_modules'));
    mkdirSync(join(folder, 'node_modules'));
    for (const name of readdirSync(installed))
      if (!['google-auth-library', '@aws-sdk', '@smithy'].includes(name))
        symlinkSync(join(installed, name), join(folder, 'node_modules', name));
    rmSync(program, { recursive: true });
  });
  afterEach(() => Promise.all(processes.splice(0).map((process) => process.stop())));
  afterAll(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true });
  });

  const start = (yaml: string, more: Record<string, string> = {}) => {
    const cwd = mkdtempSync(join(folder, 'deployment-'));
    writeFileSync(join(cwd, 'switchyard.yaml'), yaml);
    const gateway = new GatewayProcess([process.execPath, join(folder, 'dist/main.js')], { cwd, env: { ...env, ...more } });
    processes.push(gateway);
    return gateway;
  };

  const saysWhatIsMissing = async (gateway: GatewayProcess) => {
    await gateway.listening();
    expect((await gateway.output(/^Providers: (.*)$/m))[1]).toBe('sandbox');
    for (const sentence of sentences) await gateway.output(sentence);
    gateway.signal('SIGTERM');
    const { stderr } = await gateway.exited;
    expect(stderr.match(/switch nothing on/g)).toHaveLength(2);
    expect(stderr).not.toContain(env.AWS_BEARER_TOKEN_BEDROCK);
  };

  it('starts where the environment has their variables, and says what is missing', () => saysWhatIsMissing(start('{}')));

  (TemporaryPostgres.available ? it : it.skip)('says it once, however many workers it has', async () => {
    postgres = await TemporaryPostgres.start();
    await saysWhatIsMissing(
      start('{}', { DATABASE_URL: postgres.url, SWITCHYARD_PEPPER: 'the pepper of all the workers of it', SWITCHYARD_WORKERS: '2' }),
    );
  });

  it('refuses an entry that needs them', async () => {
    const { code, stderr } = await start('providers: { google: { type: vertex } }').exited;
    expect([code, stderr]).toEqual([1, expect.stringContaining('npm install google-auth-library')]);
  });
});
