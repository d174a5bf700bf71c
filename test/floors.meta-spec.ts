import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The rooms above all floors. */
const top = new Set(['process', 'cli', 'deployment', 'openapi']);

/** For each rule of the floors a file that breaks it: where it stands, and what it imports. */
const breaches: Readonly<Record<string, readonly [file: string, imports: string]>> = {
  'src-0-imports-lower-folders': ['wire/breach-up.ts', 'config/version.ts'],
  'src-1-imports-lower-folders': ['config/breach-up.ts', 'common/prices/credits.ts'],
  'src-2-imports-lower-folders': ['common/breach-up.ts', 'json/json-bytes.ts'],
  'src-3-imports-lower-folders': ['json/breach-up.ts', 'database/database.ts'],
  'src-4-imports-lower-folders': ['http/breach-up.ts', 'observability/metrics.ts'],
  'src-5-imports-lower-folders': ['observability/breach-up.ts', 'auth/principal.ts'],
  'src-6-imports-lower-folders': ['auth/breach-up.ts', 'catalogue/offer.ts'],
  'src-7-imports-lower-folders': ['limits/breach-up.ts', 'people/person-store.ts'],
  'src-8-imports-lower-folders': ['webhooks/breach-up.ts', 'billing/hold/ledger.ts'],
  'src-9-imports-lower-folders': ['billing/breach-up.ts', 'inference/planning/plan-calls.ts'],
  'src-10-imports-lower-folders': ['inference/breach-up.ts', 'chat/chat.service.ts'],
  'src-11-imports-lower-folders': ['completions/breach-up.ts', 'chat/chat.service.ts'],
  'src-12-imports-lower-folders': ['health/breach-up.ts', 'reference/docs.controller.ts'],
  'src-http-0-imports-lower-folders': ['http/requests/breach.ts', 'http/server/route-table.ts'],
  'src-http-1-imports-lower-folders': ['http/server/breach.ts', 'http/answers/response-batch.ts'],
  'src-providers-0-imports-lower-folders': ['providers/contract/breach.ts', 'providers/transport/http-transport.ts'],
  'src-providers-1-imports-lower-folders': ['providers/transport/breach-up.ts', 'providers/translation/data-url.ts'],
  'src-providers-2-imports-lower-folders': ['providers/protocols/breach-up.ts', 'providers/kit/vendor-package.ts'],
  'src-providers-3-imports-lower-folders': ['providers/errors/breach.ts', 'providers/model-facts/model-facts.ts'],
  'src-providers-4-imports-lower-folders': ['providers/kit/breach.ts', 'providers/registry/provider-types.ts'],
  'src-providers-5-imports-lower-folders': ['providers/modules/breach.ts', 'providers/registry/provider-types.ts'],
  'src-billing-0-imports-lower-folders': ['billing/hold/breach.ts', 'billing/leases/journal.ts'],
  'src-billing-1-imports-lower-folders': ['billing/protocol/breach.ts', 'billing/budgets/spending.ts'],
  'src-billing-2-imports-lower-folders': ['billing/budgets/breach.ts', 'billing/leases/journal.ts'],
  'src-inference-0-imports-lower-folders': ['inference/fitting/breach.ts', 'inference/planning/plan-calls.ts'],
  'src-inference-1-imports-lower-folders': ['inference/planning/breach.ts', 'inference/routing/strategy.ts'],
  'src-inference-2-imports-lower-folders': ['inference/routing/breach.ts', 'inference/attempts/attempt.ts'],
  'src-inference-3-imports-lower-folders': ['inference/attempts/breach.ts', 'inference/generation/generation.ts'],
  'src-inference-4-imports-lower-folders': ['inference/generation/breach.ts', 'inference/idempotency/idempotency-key.ts'],
  'src-dashboard-web-0-imports-lower-folders': ['dashboard/web/theme/breach.ts', 'dashboard/web/ui/words.ts'],
  'src-dashboard-web-1-imports-lower-folders': ['dashboard/web/ui/breach.ts', 'dashboard/web/shell/account.ts'],
  'src-dashboard-web-2-imports-lower-folders': ['dashboard/web/sign-in/breach.ts', 'dashboard/web/shell/account.ts'],
  'src-dashboard-web-3-imports-lower-folders': ['dashboard/web/shell/breach.ts', 'dashboard/web/pages/keys/keys.api.ts'],
  'src-dashboard-web-4-imports-lower-folders': ['dashboard/web/pages/keys/breach.ts', 'dashboard/web/you/browsers.ts'],
  'only-the-top-imports-the-top': ['health/breach.ts', 'process/signals.ts'],
  'providers-and-database-are-strangers': ['providers/breach.ts', 'database/database.ts'],
  'billing-and-http-are-strangers': ['billing/breach.ts', 'http/answers/response-batch.ts'],
  'only-http-knows-sockets-and-framing': ['inference/breach-socket.ts', 'node:net'],
  'fastify-only-where-requests-are-looked-at': ['billing/breach-fastify.ts', 'fastify'],
  'inference-knows-a-request-and-no-response': ['inference/breach.ts', 'http/answers/response-headers.ts'],
  'operations-return-observables': ['chat/breach-http.ts', 'http/answers/event-stream.ts'],
  'only-json-knows-bytes-of-bodies': ['chat/breach-json.ts', 'json/buffer-list.ts'],
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
