import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A frame of a stack, as both of V8's profilers tell it. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/** What a request goes through, in its order, and what runs beside it. */
export const steps = [
  'accept and read',
  'route and guard',
  'parse and validate',
  'plan',
  'hold',
  'ask',
  'read the answer',
  'meter',
  'settle',
  'write',
  'record',
  'log',
  'metrics',
  'journal and store',
  'garbage collection',
  'the rest',
] as const;

export type Step = (typeof steps)[number];

/** Those that the client does not wait for. With the threads that store they are everything behind the answer. */
export const afterAnswer: readonly Step[] = ['settle', 'record', 'log', 'metrics', 'journal and store'];

/**
 * Which functions belong to a step, by `path#function`. Everything that they call belongs to it too, unless it has a
 * step of its own.
 */
const rules: readonly (readonly [Step, RegExp])[] = [
  ['log', /^src\/observability\/(request-log|log|gathered-lines)#/],
  ['metrics', /^src\/(observability\/(metrics|series|bounded-label)|catalogue\/(live-)?performance)#/],
  ['record', /^src\/observability\/(request-records|attempts-text|write-behind|refusal-sample|traces)#/],
  ['journal and store', /^src\/(billing\/leases\/(?!lease-ledger|journal-record)|database\/(?!json-rows|insert-rows))/],
  ['settle', /^src\/(billing\/hold\/.*#settle|inference\/generation\/generation#(#settle|complete)|billing\/leases\/lease-ledger#ended)/],
  ['settle', /^src\/billing\/leases\/lease-writer#ended/],
  ['hold', /^src\/(billing\/|inference\/planning\/dearest-price|inference\/inference\.service##hold)/],
  [
    'meter',
    /^src\/inference\/(attempts\/(upstream-|believed-usage|attempts\.service#(completed|#record))|calibration\/|generation\/generation-meter)/,
  ],
  ['plan', /^src\/(inference\/(planning\/|routing\/(router|routing-policy|strategy|expected|sticky))|catalogue\/)/],
  ['plan', /^src\/inference\/inference\.service##plan/],
  ['parse and validate', /^src\/(json\/|http\/requests\/(wire-|field-)|chat\/(.*-shape|create-)|completions\/create-)/],
  [
    'read the answer',
    /^src\/providers\/(protocols\/(response-reader|parsed-json|.*\/(decoder|translator|.*-translator|usage|finish))|pushed)/,
  ],
  ['read the answer', /^src\/providers\/transport\/upstream-exchange#onResponse/],
  ['ask', /^src\/(providers|inference\/(attempts|routing))\//],
  ['write', /^src\/http\/answers\/response-(batch|writer#(next|send|complete|#respond|#headers)|headers)/],
  ['write', /^src\/(chat\/chat-completion\.mapping#chatCompletion|inference\/chunks)/],
  ['accept and read', /^fastify#ContentTypeParser/],
  ['accept and read', /^src\/http\/server\/(collect-body|http-server|client-errors|framing-error|fastify-server)/],
  ['route and guard', /^src\/(http|auth|chat|completions|inference)\//],
  ['read the answer', /^undici#(execute|onData|onHttpSocketReadable|on[A-Z]\w*|parse|readMore|wasm)/],
  ['ask', /^undici#/],
  ['route and guard', /^(fastify|find-my-way|@nestjs\/[\w-]+|@fastify\/\w+)#/],
  ['accept and read', /^node:(_http_server|_http_common|_http_incoming|internal\/http)#/],
  ['write', /^node:_http_outgoing#/],
  ['log', /^sonic-boom#/],
  ['read the answer', /^node:internal\/stream_base_commons#onStreamRead/],
  ['garbage collection', /^#\(garbage collector\)/],
];

const known = new WeakMap<Frame, Step | undefined>();

/**
 * The step that a stack belongs to: that of the innermost function which has one.
 * @param stack from the innermost frame
 * @param root the folder of the repository
 */
export function stepOf(stack: Iterable<Frame>, root: string): Step {
  let otherwise: Step = 'the rest';
  for (const frame of stack) {
    if (!known.has(frame)) known.set(frame, ownStep(frame, root));
    const step = known.get(frame);
    if (step) return step;
    // Where nothing of ours has called it, Nest has.
    if (frame.url.includes('/node_modules/rxjs/')) otherwise = 'route and guard';
  }
  return otherwise;
}

/** Whose code runs. */
export const owners = ['Switchyard', 'NestJS and RxJS', 'Fastify', 'undici', 'Node.js and V8', 'garbage collection'] as const;

export type Owner = (typeof owners)[number];

const packages: readonly (readonly [Owner, RegExp])[] = [
  ['Switchyard', /^src\//],
  ['NestJS and RxJS', /^(@nestjs\/|rxjs$)/],
  ['Fastify', /^(fastify|find-my-way|@fastify\/)/],
  ['undici', /^(undici$|wasm:)/],
  ['garbage collection', /^\(garbage collector\)$/],
];

/** The owner of the innermost function of a stack. What is part of V8, such as `JSON.parse`, is its caller's. */
export function ownerOf(stack: Iterable<Frame>, root: string): Owner {
  for (const { url, functionName } of stack) {
    const place = placeOf(url, root) || functionName;
    const owner = packages.find(([, pattern]) => pattern.test(place))?.[0];
    if (owner) return owner;
    if (url !== '') break;
  }
  return 'Node.js and V8';
}

function ownStep({ url, functionName }: Frame, root: string): Step | undefined {
  const place = `${placeOf(url, root)}#${functionName}`;
  return rules.find(([, pattern]) => pattern.test(place))?.[0];
}

/** `src/...` without its ending, the name of a package, or the URL. */
export function placeOf(url: string, root: string): string {
  // The URL of a CommonJS module is a bare path.
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (!path.startsWith('/')) return url;
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
  if (inPackage) return inPackage[1]!;
  return relative(root, path)
    .replace(/^dist\//, 'src/')
    .replace(/\.js$/, '');
}
