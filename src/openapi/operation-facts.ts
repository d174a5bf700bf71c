import { type OperationEntry, operations } from '../wire/operations.js';
import { strategies } from '../wire/routing-strategy.js';
import type { JsonSchema } from './json-schema.js';

/** What the code of an operation does not say of it. */
export interface OperationFacts extends Partial<Pick<OperationEntry, 'operationId' | 'event' | 'error' | 'examples'>> {
  /** Of a successful answer, beside those of every answer. */
  readonly headers?: readonly string[];
  /** Providers may refuse it, so that errors have their headers. */
  readonly generates?: boolean;
  readonly requestHeaders?: readonly RequestHeader[];
  /** Answered with 304 and no body where the client has this version. */
  readonly cached?: boolean;
}

interface RequestHeader {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

const generationRequestHeaders: readonly RequestHeader[] = [
  { name: 'x-request-id', description: "The client's own id of the request, for its record.", schema: { type: 'string' } },
  {
    name: 'Idempotency-Key',
    description: 'Makes the request safe to repeat: it is charged once, and its repetitions get the same answer.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]*$' },
  },
  {
    name: 'x-switchyard-strategy',
    description: 'How the offer is chosen among those of the model.',
    schema: { type: 'string', enum: [...strategies] },
  },
  {
    name: 'x-switchyard-providers',
    description: 'Only offers of these providers: ids with commas between them.',
    schema: { type: 'string' },
  },
  { name: 'x-switchyard-without-providers', description: 'No offers of these providers.', schema: { type: 'string' } },
  {
    name: 'x-switchyard-max-price',
    description: 'No dearer offers: credits per 1,000 tokens, one number or `prompt/completion`.',
    schema: { type: 'string', pattern: '^[0-9]+(\\.[0-9]+)?(/[0-9]+(\\.[0-9]+)?)?$' },
  },
];

const cached: OperationFacts = { headers: ['etag', 'cache-control'], cached: true };
const setsCookie: OperationFacts = { headers: ['set-cookie', 'cache-control'] };
const redirects: OperationFacts = { headers: ['location', 'set-cookie', 'cache-control'] };
const generation: OperationFacts = {
  headers: [
    'x-switchyard-served-by',
    'x-switchyard-cost',
    'x-switchyard-dropped-parameters',
    'idempotent-replayed',
    'cache-control',
    'x-accel-buffering',
  ],
  generates: true,
  requestHeaders: generationRequestHeaders,
};

const generating = Object.values<OperationEntry>(operations).map((facts) => ({ word: facts.title.split(' ')[0]!, facts }));

/** By the names of the controller and its method. What is not listed is documented from its code alone. */
export const operationFacts: Readonly<Record<string, OperationFacts>> = {
  ...Object.fromEntries(generating.map(({ word, facts }) => [`${word}Controller.create`, { ...generation, ...facts }])),
  'ModelsController.list': { operationId: 'listModels' },
  'ModelsController.get': { operationId: 'retrieveModel' },
  'MessagesController.count': {
    operationId: 'countMessageTokens',
    headers: ['x-switchyard-dropped-parameters'],
    error: ['MessagesErrorBody', 'wire/anthropic-message.ts'],
  },
  'StoredResponsesController.get': {
    operationId: 'retrieveResponse',
    event: ['ResponseEvent', 'wire/response.ts'],
    headers: ['cache-control', 'x-accel-buffering'],
  },
  'StoredResponsesController.delete': { operationId: 'deleteResponse' },
  'StoredResponsesController.cancel': { operationId: 'cancelResponse' },
  'StoredResponsesController.inputItems': { operationId: 'listInputItems' },
  'SessionController.open': setsCookie,
  'SessionController.openByLink': setsCookie,
  'SessionController.close': setsCookie,
  'InvitationsController.accept': setsCookie,
  'OidcController.start': redirects,
  'OidcController.callback': redirects,
  'AboutController.about': { operationId: 'about' },
  'HealthController.live': { operationId: 'isLive' },
  'HealthController.ready': { operationId: 'isReady' },
  'OpenApiController.customers': { operationId: 'openApi', ...cached },
  'OpenApiController.administration': { operationId: 'openApi', ...cached },
  'DocsController.page': { operationId: 'docs', ...cached },
  'DocsController.script': { operationId: 'docsScript', ...cached },
  'DocsController.style': { operationId: 'docsStyle', ...cached },
  'MetricsController.read': { operationId: 'readMetrics' },
  'PlaygroundController.chat': { ...generation, event: ['ChatCompletionChunk', 'wire/chat-completion.ts'] },
  'PlaygroundController.completion': { ...generation, event: ['Completion', 'wire/completion.ts'] },
  'StatementsController.csv': { headers: ['content-disposition'] },
  'RequestExportsController.csv': { headers: ['x-switchyard-rows', 'content-disposition'] },
  'RequestExportsController.jsonLines': { headers: ['x-switchyard-rows', 'content-disposition'] },
};

/** The groups of operations, in the order in which they are read: a word, what it is about, and the controllers. */
export const groups: readonly (readonly [name: string, description: string, controllers: RegExp])[] = [
  ['Models', 'What can be asked, for how much, and how it does.', /^Models/],
  ...generating.map(({ word, facts: { about } }) => [word, about, new RegExp(`^(Stored)?${word}`)] as const),
  ['Gateway', 'What the gateway is and how it does. No key is needed.', /^(About|Health|Metrics|Reference|OpenApi|Docs)/],
];
