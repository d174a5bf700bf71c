import { prompt, templateNames } from '../src/providers/testing/strict-vendors/chat-templates.js';
import { said } from '../src/wire/testing/said.js';
import { Gateway } from './support/gateway.js';
import { useLoopbackOnly } from './support/loopback-only.js';
import { useGateway, useUpstream } from './support/started.js';
import { expectError } from './support/wire-schemas.js';
import { chatCompletionsVendor } from './vendors/chat-completions-vendor.js';
import { ollamaVendor } from './vendors/ollama-vendor.js';

const folder = process.env['SWITCHYARD_VENDOR_SCHEMAS'];
const [describeTemplates, reason] = folder ? [describe, ''] : [describe.skip, ' (SWITCHYARD_VENDOR_SCHEMAS names no folder)'];

useLoopbackOnly();

/** A turn of a conversation, in no format. */
interface Turn {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  /** Each is a part of its own. */
  readonly texts: readonly string[];
  readonly calls?: readonly string[];
  /** Of the call that it answers. */
  readonly id?: string;
}

const turn = (role: Turn['role'], ...texts: string[]): Turn => ({ role, texts });
const system = turn('system', 'mark-s');
const user = turn('user', 'mark-u');
const assistant = turn('assistant', 'mark-a');
const called = (...calls: string[]): Turn => ({ role: 'assistant', texts: [], calls });
const result = (id: string): Turn => ({ role: 'tool', texts: [`mark-${id}`], id });

const shapes: Readonly<Record<string, readonly Turn[]>> = {
  'system in the middle': [system, user, assistant, turn('system', 'mark-t'), turn('user', 'mark-v')],
  'system at the end': [user, assistant, turn('user', 'mark-v'), system],
  developer: [system, turn('developer', 'mark-d'), user],
  'system alone': [system],
  'a call': [system, user, called('c1'), result('c1')],
  'a user behind a result': [user, called('c1'), result('c1'), turn('user', 'mark-v'), assistant, user],
  'parallel calls': [user, called('c1', 'c2'), result('c1'), result('c2'), assistant, user],
  'a call behind a call': [user, called('c1'), result('c1'), called('c2'), result('c2')],
  'text beside a call': [user, { ...called('c1'), texts: ['Let me look.'] }, result('c1')],
  'two of the user': [user, turn('user', 'mark-v')],
  'two of the assistant': [user, assistant, turn('assistant', 'mark-b'), turn('user', 'mark-v')],
  'the assistant first': [assistant, user],
  'no user': [system, called('c1'), result('c1')],
  'the assistant last': [user, assistant],
  'empty content': [turn('system', ''), user, turn('assistant', ''), turn('user', 'mark-v')],
  'several parts': [turn('system', 'mark-s', 'mark-t'), turn('user', 'mark-u', 'mark-v'), turn('assistant', 'mark-a', 'mark-b'), user],
};

const parameters = { type: 'object', properties: { at: { type: 'string' } } };
const one = <T>(texts: readonly string[], part: (text: string) => T): string | T[] =>
  texts.length > 1 ? texts.map(part) : (texts[0] ?? '');

const formats: Readonly<Record<string, (turns: readonly Turn[], tools: boolean) => object>> = {
  'chat/completions': (turns, tools) => ({
    messages: turns.map(({ role, texts, calls, id }) => ({
      role,
      content: calls && texts.length === 0 ? null : one(texts, said.text),
      ...(calls && { tool_calls: calls.map((call) => said.call(call, 'look', '{"at":"x"}')) }),
      ...(id && { tool_call_id: id }),
    })),
    ...(tools && { tools: [{ type: 'function', function: { name: 'look', description: 'Looks', parameters } }] }),
  }),
  messages: (turns, tools) => {
    const leading = turns[0]!.role === 'system' && turns.length > 1 ? turns[0]!.texts : [];
    return {
      max_tokens: 50,
      ...(leading.some(Boolean) && { system: leading.map(said.text) }),
      messages: turns.slice(leading.length > 0 ? 1 : 0).map(({ role, texts, calls = [], id }) => ({
        role: role === 'developer' ? 'system' : role === 'tool' ? 'user' : role,
        content:
          texts.length === 1 && calls.length === 0 && !id
            ? texts[0]
            : id
              ? [{ type: 'tool_result', tool_use_id: id, content: one(texts, said.text) }]
              : [...texts.map(said.text), ...calls.map((call) => ({ type: 'tool_use', id: call, name: 'look', input: { at: 'x' } }))],
      })),
      ...(tools && { tools: [{ name: 'look', description: 'Looks', input_schema: parameters }] }),
    };
  },
  responses: (turns, tools) => ({
    input: turns.flatMap(({ role, texts, calls = [], id }): object[] => {
      if (id) return [{ type: 'function_call_output', call_id: id, output: texts[0] }];
      const type = role === 'assistant' ? 'output_text' : 'input_text';
      return [
        ...(texts.length > 0 ? [{ role, content: one(texts, (text) => ({ type, text })) }] : []),
        ...calls.map((call) => ({ type: 'function_call', call_id: call, name: 'look', arguments: '{"at":"x"}' })),
      ];
    }),
    ...(tools && { tools: [{ type: 'function', name: 'look', description: 'Looks', parameters }] }),
  }),
};

/** A template that has the system message only where the conversation ends with the user. */
const forgetful = 'mistralai-Mistral-Nemo-Instruct-2407';

/** Templates of models that have no tools. */
const withoutTools = new Set(['google-gemma-2-2b-it', 'microsoft-Phi-3.5-mini-instruct']);

describeTemplates(`Servers that render with the template of the model${reason}`, () => {
  const names = folder ? templateNames(folder) : [];
  const upstream = useUpstream();
  const servers = { vllm: '/vllm/v1', llamacpp: '/llamacpp/v1', ollama: '' };
  const gateway = useGateway(() => {
    const facts = (name: string) => ({
      context_length: 100_000,
      max_tokens: 1_000,
      capabilities: { chat: true, function_calling: !withoutTools.has(name) },
    });
    const models = Object.fromEntries(names.map((name) => [name, facts(name)]));
    return Gateway.start({
      routing: { retries: 0 },
      providers: {
        ...Object.fromEntries(
          Object.entries(servers).map(([type, path]) => [
            type,
            { type, base_url: upstream.origin + path, free: true, prefix: `${type}/`, models },
          ]),
        ),
        ...Object.fromEntries(
          Object.entries(servers).map(([type, path]) => [
            `late-${type}`,
            {
              type,
              base_url: upstream.origin + path,
              free: true,
              models: { [`late-${type}`]: { ...facts(''), system_messages: 'anywhere' } },
            },
          ]),
        ),
      },
    });
  });

  it.each(Object.keys(servers).flatMap((server) => names.map((name) => [server, name] as const)))(
    'take every conversation: %s, %s',
    async (server, name) => {
      const problems: string[] = [];
      for (const [path, bodyOf] of Object.entries(formats)) {
        for (const [shape, turns] of Object.entries(shapes)) {
          const tools = turns.some(({ calls }) => calls);
          if (tools && withoutTools.has(name)) continue;
          for (const stream of shape === 'a call' ? [false, true] : [false]) {
            upstream.replies(() => (server === 'ollama' ? ollamaVendor : chatCompletionsVendor).answer({ text: 'Hi' }, stream));
            const body = { model: `${server}/${name}`, ...bodyOf(turns, tools) };
            const { status, text: answer = '' } = stream
              ? { status: (await gateway.stream(path, body)).status }
              : await gateway.post(path, body);
            const sent = upstream.requests[0] && (JSON.parse(upstream.requests[0].body) as object);
            const text = sent && status === 200 ? await prompt(folder!, server, sent as Record<string, unknown>) : undefined;
            const marks = turns
              .filter(({ role, calls }) => !calls && !(name === forgetful && role === 'system'))
              .flatMap(({ texts }) => texts);
            const lost = text === undefined ? [] : marks.filter((mark) => !text.includes(mark));
            if (status !== 200 || lost.length > 0) problems.push(`${path}, ${shape}: ${status === 200 ? lost.join() : answer}`);
          }
        }
      }
      expect(problems).toEqual([]);
    },
  );

  it.each(Object.keys(servers))('are not taken for overloaded where the template refuses: %s', async (server) => {
    const { refused } = upstream;
    upstream.refused = [];
    const messages = [said.user('Hi'), said.system('Be brief.')];
    const answer = await gateway.post('chat/completions', { model: `late-${server}`, messages });
    expect(upstream.refused).toHaveLength(1);
    upstream.refused = refused;
    expectError(answer, 400, 'invalid_request');
    expect(answer.text).toContain('System message must be at the beginning.');
  });
});
