import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anything } from '../src/providers/testing/strict-vendors/strict-vendors.js';
import { said } from '../src/wire/testing/said.js';
import { wires } from './formats/matrix.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway, useUpstream } from './support/started.js';
import { text, wholeResponse } from './support/vendor-response.js';
import { expectError } from './support/wire-schemas.js';
import { chatCompletionsVendor } from './vendors/chat-completions-vendor.js';
import { json } from './vendors/vendor.js';

useLoopbackOnly();

const folder = process.env['SWITCHYARD_VENDOR_SCHEMAS'];
const [describeItems, reason] = folder ? [describe, ''] : [describe.skip, ' (SWITCHYARD_VENDOR_SCHEMAS names no folder)'];

interface Schema {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
}
type Item = Record<string, unknown> & { readonly type?: string };

/** One item of each type that OpenAI describes, with the members that it has to have, and its ids, or with all. */
function describedItems(root: string, whole: boolean): Item[] {
  const { $defs } = JSON.parse(readFileSync(join(root, 'openai', 'requests.json'), 'utf8')) as { $defs: Record<string, Schema> };
  const texts: Readonly<Record<string, string>> = {
    call_id: 'call_1',
    role: 'developer',
    arguments: '{}',
    image_url: 'data:image/png;base64,AA',
  };
  const sample = (schema: Schema, name: string, depth: number): unknown => {
    if (schema.$ref) return sample($defs[schema.$ref.split('/').at(-1)!]!, name, depth);
    const [first] = schema.oneOf ?? schema.anyOf ?? [];
    if (first) return sample(first, name, depth);
    if (schema.enum) return schema.enum[0];
    if (schema.type === 'array') return schema.minItems || depth < 2 ? [sample(schema.items ?? {}, name, depth + 1)] : [];
    if (schema.type === 'object' || schema.properties) {
      const names = Object.keys(schema.properties ?? {}).filter(
        (member) => schema.required?.includes(member) || (depth === 0 && (whole || /^(type|id|call_id)$/.test(member))),
      );
      return Object.fromEntries(names.map((member) => [member, sample(schema.properties![member]!, member, depth + 1)]));
    }
    if (schema.type === 'integer' || schema.type === 'number') return 1;
    return schema.type === 'boolean' ? true : (texts[name] ?? `a_${name}`);
  };
  const union = (schema: Schema): Schema[] => {
    const own = schema.$ref ? $defs[schema.$ref.split('/').at(-1)!]! : schema;
    return own.oneOf ? own.oneOf.flatMap(union) : [own];
  };
  return union($defs['InputItem']!).map((schema) => sample(schema, '', 0) as Item);
}

describeItems(`Each item that OpenAI describes${reason}`, () => {
  const upstream = useUpstream();
  const vendors = wires.flatMap(({ vendor }) => (vendor ? [vendor] : []));
  const entry = (model: string, more: object = {}) => ({
    base_url: `${upstream.origin}/v1`,
    api_key: 'key',
    free: true,
    models: { [model]: {} },
    ...more,
  });
  const gateway = useGateway(() =>
    Gateway.start({
      providers: {
        ...(Object.fromEntries(vendors.map((vendor, n) => [`wire-${n}`, vendor.provider(upstream.origin)])) as object),
        openai: entry('gpt-5.1', { type: 'openai' }),
        plain: entry('plain', { options: { responses: true } }),
        some: entry('some', { options: { responses: true, hosted_tools: ['web_search'] } }),
      },
    }),
  );
  const models = [...vendors.map(({ model }) => model), 'gpt-5.1', 'plain', 'some'];
  const [ask, answer, next] = [said.user('Ask.'), said.assistant('Noon.'), said.user('Next.')];

  /** A call stands with what it has brought. */
  const groups = [false, true].flatMap((whole) => {
    const items = folder ? describedItems(folder, whole) : [];
    return items.flatMap((item): [string, readonly Item[]][] => {
      const { type = 'message' } = item;
      if (type.endsWith('_output') || type === 'item_reference') return [];
      const output = items.find((one) => one.type === `${type}_output` || one.type === type.replace(/_call$/, '_output'));
      return [[`${type}, ${whole ? 'whole' : 'in short'}`, output ? [item, output] : [item]]];
    });
  });

  /** OpenAI's schema and the types of its client contradict each other there: no item is both. */
  const contradictory = /^(local_shell_call|mcp_approval_response),/;
  /** A vendor that has not written it has nothing of it to go on with. */
  const mayBeLost = /^reasoning,/;

  const post = async (model: string, input: readonly object[]) => {
    upstream.replies((request) => {
      if (request.path.endsWith('/responses')) return { headers: json, body: wholeResponse([text('Noon.')]) };
      const { answer: answerOf } = vendors.find((one) => one.model === model) ?? chatCompletionsVendor;
      return answerOf({ text: 'Noon.' }, false);
    });
    const { status, body, headers } = await gateway.post('responses', { model, input });
    return {
      status,
      body: body as Record<string, unknown>,
      asked: upstream.requests.at(-1)?.body,
      dropped: headers['x-switchyard-dropped-parameters'],
    };
  };

  it.each(groups.flatMap(([name, group]) => models.map((model) => [name, model, group] as const)))(
    'goes on, is told in words, or is reported, and locks no conversation: %s, %s',
    async (name, model, group) => {
      upstream.accepts = contradictory.test(name) || model === 'plain' || model === 'some' ? anything : undefined;
      const { asked: without } = await post(model, [ask, answer, next]);
      const { status, body, asked, dropped } = await post(model, [ask, ...group, answer, next]);
      expect([status, body]).toEqual([200, body]);
      if (!dropped && !mayBeLost.test(name)) expect(asked).not.toBe(without);
      const last = await post(model, [ask, ...group]);
      if (last.status !== 200) expectError(last, 400, 'unsupported_parameter');
    },
  );
});
