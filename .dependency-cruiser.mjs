import { operations as entries } from './src/wire/operations.ts';

/** One room an operation, by the first word of its address. */
const operations = Object.values(entries).map(({ path }) => path.split('/')[2]);

/**
 * The folders of src, lowest first: a folder imports those of the lines before its own. Each rule says why, so that its
 * failure explains itself. What wires them together (app.*, process, openapi, cli, main) is above all.
 */
const layers = [
  ['wire'],
  ['config'],
  ['common'],
  ['database', 'json'],
  ['http', 'providers'],
  ['observability'],
  ['auth', 'catalogue'],
  ['limits', 'people', 'provider-store', 'response-store'],
  ['webhooks'],
  ['billing'],
  ['inference'],
  operations,
  ['admin', 'dashboard', 'health', 'reference'],
];

/** The folders of providers that are no provider's. */
const shared = [
  'contract',
  'credentials',
  'errors',
  'kit',
  'model-facts',
  'modules',
  'protocols',
  'registry',
  'testing',
  'translation',
  'transport',
].join('|');

const folder = (names) => `^src/(${names.join('|')})/`;

/** The folders inside a folder, in the same way. */
const inner = {
  http: [['requests'], ['server'], ['answers']],
  providers: [
    ['contract'],
    ['translation', 'transport'],
    ['credentials', 'protocols'],
    ['errors', 'model-facts'],
    ['kit'],
    ['modules'],
    ['registry'],
  ],
  billing: [['hold'], ['protocol'], ['budgets'], ['leases']],
  inference: [['carried', 'chunks', 'fitting'], ['planning'], ['calibration', 'routing'], ['attempts'], ['generation'], ['idempotency']],
  'dashboard/web': [['api', 'theme'], ['ui'], ['sign-in'], ['shell'], ['pages', 'you']],
};

/** @param except files for which it does not hold */
const below = (parent, lines, except) =>
  lines
    .map((names, line) => ({ names, others: [...names.slice(1), ...lines.slice(line + 1).flat()], line }))
    .filter(({ others }) => others.length > 0)
    .map(({ names, others, line }) => ({
      name: `${parent.replaceAll('/', '-')}-${line}-imports-lower-folders`,
      severity: 'error',
      comment: `${names.join(' and ')} may import lower folders of ${parent} only. Move what both need down, or own a small port.`,
      from: { path: `^${parent}/(${names.join('|')})/`, pathNot: except },
      to: { path: `^${parent}/(${[names[0], ...others].join('|')})/`, pathNot: `^${parent}/$1/` },
    }));

const strangers = (a, b, why) => ({
  name: `${a}-and-${b}-are-strangers`,
  severity: 'error',
  comment: why,
  from: { path: folder([a]) },
  to: { path: folder([b]) },
});

export default {
  forbidden: [
    // What these three do is shown with the ledger, which is above them.
    ...below('src', layers, '^src/(people|response-store|webhooks)/.*\\.spec\\.ts$'),
    ...Object.entries(inner).flatMap(([parent, lines]) => below(`src/${parent}`, lines, '\\.spec\\.tsx?$')),
    {
      name: 'only-the-top-imports-the-top',
      severity: 'error',
      comment: 'main, app.*, process, cli and openapi wire the modules together; nothing below knows them.',
      from: { path: folder(layers.flat()), pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/(main|app\\.|cli/|openapi/|process/)' },
    },
    strangers('providers', 'database', 'A provider stores nothing.'),
    strangers('billing', 'http', 'Money knows no response: what must be delivered first is asked for through common/delivery-barrier.'),
    {
      name: 'only-http-knows-sockets-and-framing',
      severity: 'error',
      comment: 'Sockets, responses and the framing of events are the business of http, and towards providers of transport.',
      from: {
        path: '^src/',
        pathNot: [
          '^src/(http|providers/transport|process)/',
          '^src/(app\\.|database/open-postgres|config/environment-proxy|common/addresses/|people/oidc/guarded-fetch|webhooks/webhook-request)',
          '\\.spec\\.ts$',
          '/testing/',
        ],
      },
      to: { path: '^(node:)?(http|https|http2|net|tls)$', dependencyTypes: ['core'] },
    },
    {
      name: 'fastify-only-where-requests-are-looked-at',
      severity: 'error',
      comment:
        'Fastify is how http serves; the guard and the records read its requests. Operations and what is below them know Nest alone.',
      from: {
        path: '^src/',
        pathNot: ['^src/(http|auth|limits|observability|openapi|people|process)/', '^src/app\\.', '\\.spec\\.ts$', '/testing/'],
      },
      to: { path: 'node_modules/(fastify|@nestjs/platform-fastify)/' },
    },
    {
      name: 'inference-knows-a-request-and-no-response',
      severity: 'error',
      comment: 'Inference sets no HTTP header and joins no frames: it emits chunks and fills in the record of its request.',
      from: { path: '^src/inference/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/http/', pathNot: '^src/http/requests/request-context\\.ts$' },
    },
    {
      name: 'operations-return-observables',
      severity: 'error',
      comment: 'An operation is a controller of Nest: decorators, pipes and an interceptor are all that it needs of http.',
      from: { path: `^src/(${operations.join('|')}|catalogue|health|admin|reference)/`, pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/http/', pathNot: '^src/http/(requests/|answers/.*\\.interceptor\\.ts$)' },
    },
    {
      name: 'only-json-knows-bytes-of-bodies',
      severity: 'error',
      comment: 'Elsewhere a body is what was parsed.',
      from: { path: '^src/', pathNot: ['^src/json/', '^src/http/server/collect-body\\.ts$', '\\.spec\\.ts$', '/testing/'] },
      to: {
        path: '^src/json/',
        pathNot: '^src/json/(bounded-json|exact-numbers|json-body|json-bytes|json-pieces|json-source|json-text|unread-members)\\.ts$',
      },
    },
    {
      name: 'wire-imports-no-package',
      severity: 'error',
      comment: 'The JSON that crosses HTTP is plain types and pure functions.',
      from: { path: '^src/wire/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'core'] },
    },
    {
      name: 'class-validator-by-its-files',
      severity: 'error',
      comment: 'The index of class-validator loads nine times the modules that are used: common/validation/class-validator has those.',
      from: { path: '^src/', pathNot: ['^src/common/validation/class-validator\\.ts$', '\\.spec\\.ts$'] },
      to: { path: 'node_modules/class-validator/' },
    },
    {
      name: 'swagger-only-where-the-description-is-made',
      severity: 'error',
      comment: 'The description of the API is made when the gateway is built; what is shipped has no swagger and no compiler.',
      from: { path: '^src/', pathNot: '^src/openapi/' },
      to: { path: 'node_modules/(@nestjs/swagger|@swc/core|typescript)/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle means that two files are one idea, or that a port is missing.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Dead code is deleted.',
      from: {
        orphan: true,
        path: '^src/',
        pathNot: [
          '\\.spec\\.ts$',
          '\\.d\\.ts$',
          '\\.worker\\.ts$',
          '^src/main\\.ts$',
          '^src/(cli|openapi)/main\\.ts$',
          '^src/openapi/page/',
        ],
      },
      to: {},
    },
    {
      name: 'the-contract-knows-no-provider',
      severity: 'error',
      comment: 'What all providers share serves every one; a special case lives in its provider’s folder. The two lists name them.',
      from: {
        path: `^src/providers/(${shared})/`,
        pathNot: ['^src/providers/registry/(providers\\.module|provider-types)\\.ts$', '\\.spec\\.ts$'],
      },
      to: { path: '^src/providers/[^/]+/', pathNot: `^src/providers/(${shared})/` },
    },
    {
      name: 'providers-are-strangers',
      severity: 'error',
      comment: 'One provider’s folder can be deleted without touching another’s.',
      from: { path: `^src/providers/(?!(?:${shared})/)([^/]+)/` },
      to: { path: `^src/providers/(?!(?:${shared})/)[^/]+/`, pathNot: '^src/providers/$1/' },
    },
    {
      name: 'vendors-clients-are-loaded-when-an-entry-asks-for-them',
      severity: 'error',
      comment: 'Most installations do not have them: only their types are imported as the code is loaded.',
      from: { path: '^src/', pathNot: ['\\.spec\\.ts$', '/testing/'] },
      to: {
        path: 'node_modules/(google-auth-library|@azure/identity|@aws-sdk|@aws-crypto|@smithy)/',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'what-few-sign-ins-need-is-loaded-when-they-do',
      severity: 'error',
      comment: 'Most gateways have neither a provider of OpenID Connect nor a mail server, and none needs them to start.',
      from: { path: '^src/', pathNot: ['\\.spec\\.ts$'] },
      to: { path: 'node_modules/(openid-client|nodemailer|@types/nodemailer)/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'providers-only-through-the-registry',
      severity: 'error',
      comment: 'Outside src/providers a provider is what the registry hands out.',
      from: { path: '^src/', pathNot: '^src/providers/' },
      to: { path: '^src/providers/[^/]+/', pathNot: '^src/providers/(contract|credentials|errors|kit|modules|registry|translation)/' },
    },
    {
      name: 'providers-are-loaded-when-configured',
      severity: 'error',
      comment: 'Until an entry names its type, a provider is its type and its factory, which imports the rest.',
      from: {
        path: `^src/providers/(?!(?:anthropic|gemini|openai-compatible|sandbox|${shared})/)([^/]+)/[^/]+\\.(?:type|options|factory)\\.ts$`,
      },
      to: {
        path: '^src/providers/$1/',
        pathNot: '\\.(?:type|options|factory)\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'transport-knows-no-protocol',
      severity: 'error',
      comment: 'A protocol uses the transport, never the reverse.',
      from: { path: '^src/providers/transport/' },
      to: { path: '^src/providers/protocols/' },
    },
    {
      name: 'outbound-http-only-in-transport',
      severity: 'error',
      comment: 'Timeouts, limits and cancellation towards providers are written once.',
      from: { path: '^src/', pathNot: ['^src/providers/transport/', '\\.spec\\.ts$', '/testing/'] },
      to: { path: 'node_modules/undici' },
    },
    {
      name: 'the-page-runs-in-browsers',
      severity: 'error',
      comment: 'The page of the dashboard knows the gateway by its administration API, and the names of strategies and operations, alone.',
      from: { path: '^src/dashboard/web/', pathNot: ['vite\\.config\\.ts$', '\\.spec\\.ts$'] },
      to: { path: ['^src/(?!dashboard/web/|wire/(operations|routing-strategy))', '^node:', 'node_modules/(@nestjs|fastify|rxjs|kysely)/'] },
    },
    {
      name: 'pages-are-strangers',
      severity: 'error',
      comment: 'A page can be taken away without touching another; what several show is in ui.',
      from: { path: '^src/dashboard/web/pages/((?:operate/)?[^/]+)/' },
      to: { path: '^src/dashboard/web/pages/', pathNot: '^src/dashboard/web/pages/$1/' },
    },
    {
      name: 'test-kit-only-from-tests',
      severity: 'error',
      comment: 'The contract suite and its loopback provider are not part of the product.',
      from: { path: '^src/', pathNot: ['\\.spec\\.ts$', '/testing/'] },
      to: { path: '/testing/' },
    },
    {
      name: 'sql-only-in-database-owners',
      severity: 'error',
      comment: 'Only the stores of keys, money and records speak SQL, through the database module.',
      from: {
        path: '^src/',
        pathNot: ['^src/(database|auth|billing|limits|people|provider-store|response-store|webhooks|observability|cli)/', '\\.spec\\.ts$'],
      },
      to: { path: 'node_modules/kysely' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // No rule is about what e2e specs import, and `using` stops the parser.
    exclude: { path: ['__fixtures__', '^test/[^/]+\\.e2e-spec\\.ts$'] },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
