import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The rooms above all floors. */
const top = new Set(['process', 'cli', 'deployment', 'openapi']);

/** For each rule of the floors a file that breaks it: where it stands, and what it imports. */
const breaches: Readonly<Record<string, readonly [file: string, imports: string]>> = {
  'floor-0-looks-down': ['config/breach.ts', 'common/credits.ts'],
  'floor-1-looks-down': ['common/breach.ts', 'json/long-text.ts'],
  'floor-2-looks-down': ['json/breach.ts', 'database/database.ts'],
  'floor-3-looks-down': ['http/breach.ts', 'observability/metrics.ts'],
  'floor-4-looks-down': ['observability/breach.ts', 'auth/principal.ts'],
  'floor-5-looks-down': ['auth/breach.ts', 'billing/hold/ledger.ts'],
  'floor-6-looks-down': ['billing/breach-up.ts', 'inference/planning/plan-calls.ts'],
  'floor-7-looks-down': ['inference/breach-up.ts', 'chat/chat.service.ts'],
  'floor-8-looks-down': ['completions/breach-up.ts', 'health/health.module.ts'],
  'only-the-top-imports-the-top': ['health/breach.ts', 'process/signals.ts'],
  'operations-are-strangers': ['chat/breach.ts', 'completions/best-of.ts'],
  'auth-and-catalogue-are-strangers': ['auth/breach-catalogue.ts', 'catalogue/offer.ts'],
  'catalogue-and-auth-are-strangers': ['catalogue/breach.ts', 'auth/principal.ts'],
  'wire-and-config-are-strangers': ['wire/breach-config.ts', 'config/version.ts'],
  'providers-and-database-are-strangers': ['providers/breach.ts', 'database/database.ts'],
  'json-and-http-are-strangers': ['json/breach-http.ts', 'http/server/route-table.ts'],
  'billing-and-http-are-strangers': ['billing/breach.ts', 'http/answers/response-batch.ts'],
  'only-http-knows-sockets-and-framing': ['inference/breach-socket.ts', 'node:net'],
  'fastify-only-where-requests-are-looked-at': ['billing/breach-fastify.ts', 'fastify'],
  'inference-knows-a-request-and-no-response': ['inference/breach.ts', 'http/answers/response-headers.ts'],
  'operations-return-observables': ['chat/breach-http.ts', 'http/answers/event-stream.ts'],
  'only-json-knows-undecoded-bytes': ['chat/breach-json.ts', 'json/buffer-list.ts'],
  'holds-know-no-leases': ['billing/hold/breach.ts', 'billing/leases/journal.ts'],
  'wire-imports-no-package': ['wire/breach.ts', 'rxjs'],
  'class-validator-by-its-files': ['admin/breach-validator.ts', 'class-validator'],
  'swagger-only-where-the-description-is-made': ['reference/breach.ts', '@nestjs/swagger'],
  'no-cycles': ['common/breach-circle.ts', 'common/breach-cycle.ts'],
  'no-orphans': ['common/breach-orphan.ts', ''],
  'the-contract-knows-no-provider': ['providers/protocols/breach.ts', 'providers/sandbox/sandbox.provider.ts'],
  'providers-are-strangers': ['providers/anthropic/breach.ts', 'providers/sandbox/sandbox.provider.ts'],
  'providers-only-through-the-registry': ['catalogue/breach-provider.ts', 'providers/sandbox/sandbox.provider.ts'],
  'what-few-sign-ins-need-is-loaded-when-they-do': ['people/breach.ts', 'nodemailer'],
  'vendors-clients-are-loaded-when-an-entry-asks-for-them': ['providers/vertex/breach.ts', 'google-auth-library'],
  'providers-are-loaded-when-configured': ['providers/cohere/breach.factory.ts', 'providers/cohere/wire.ts'],
  'transport-knows-no-protocol': ['providers/transport/breach.ts', 'providers/protocols/endpoint.ts'],
  'outbound-http-only-in-transport': ['providers/breach-undici.ts', 'undici'],
  'the-page-runs-in-browsers': ['dashboard/web/breach.tsx', 'wire/error.ts'],
  'pages-are-strangers': ['dashboard/web/pages/overview/breach.tsx', 'dashboard/web/pages/keys/keys.api.ts'],
  'test-kit-only-from-tests': ['billing/breach-testing.ts', 'database/testing/temporary-store.ts'],
  'sql-only-in-database-owners': ['inference/breach-sql.ts', 'kysely'],
};

interface Cruise {
  readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string; readonly from: { readonly path: string } }[] };
}

async function cruise(folder: string): Promise<Cruise> {
  const args = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'src'];
  const json = await new Promise<string>((resolve) => {
    const options = { cwd: folder, maxBuffer: 2 ** 28 };
    execFile(join(root, 'node_modules/.bin/depcruise'), args, options, (_error, output) => resolve(output));
  });
  return (JSON.parse(json) as { summary: Cruise }).summary;
}

describe('the floors of the house', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-floors-'));
    for (const name of ['src', '.dependency-cruiser.mjs', 'tsconfig.json', 'package.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [file, imports] of [...Object.values(breaches), ['common/breach-cycle.ts', 'common/breach-circle.ts'] as const]) {
      const path = join(folder, 'src', file);
      const own = imports.endsWith('.ts');
      const specifier = own ? relative(dirname(path), join(folder, 'src', imports)).replace(/\.ts$/, '.js') : imports;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, imports === '' ? 'export {};\n' : `import '${own && !specifier.startsWith('.') ? './' : ''}${specifier}';\n`);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are held: each rule finds its breach, and nothing else is wrong; each room is on a floor', async () => {
    const { violations, ruleSetUsed } = await cruise(folder);
    expect(Object.keys(breaches).sort()).toEqual(ruleSetUsed.forbidden.map(({ name }) => name).sort());
    const found = (rule: string) => violations.filter((violation) => violation.rule.name === rule).map(({ from }) => from);
    for (const [rule, [file]] of Object.entries(breaches))
      expect([rule, found(rule)]).toEqual([rule, expect.arrayContaining([`src/${file}`])]);
    expect(violations.filter(({ from }) => !from.includes('breach'))).toEqual([]);
    const onFloors = new RegExp(ruleSetUsed.forbidden.find(({ name }) => name === 'only-the-top-imports-the-top')!.from.path);
    const rooms = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const loose = rooms.map(({ name }) => name).filter((name) => !onFloors.test(`src/${name}/`) && !top.has(name));
    expect(loose).toEqual([]);
  });
});
