import type Anthropic from '@anthropic-ai/sdk';
import type { Message, Tool } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { messagesRequest } from './request.js';
import type { MessagesBody } from './wire.js';
import type { ModelTraits } from './model-traits.js';
import { said } from '../../../wire/testing/said.js';

const modern: ModelTraits = {
  maxTokens: 64_000,
  thinking: 'adaptive',
  thinkingOff: 'disabled',
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  forcedTools: true,
  structuredOutputs: true,
  systemTurns: true,
};
const unforced: ModelTraits = { ...modern, forcedTools: false, thinkingOff: 'never' };
const older: ModelTraits = { ...modern, thinking: 'budget', thinkingOff: 'absent', efforts: [], systemTurns: false };
const common: ModelTraits = { ...older, structuredOutputs: false };

const weather: Tool = {
  type: 'function',
  function: { name: 'weather', description: 'Tells the weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};

interface Translated {
  body: MessagesBody;
  jsonTool: boolean;
  dropped: string[];
}

function translate(request: Partial<ChatGenerationRequest> = {}, traits = modern): Translated {
  const dropped: string[] = [];
  const whole: ChatGenerationRequest = {
    operation: 'chat',
    model: 'client-name',
    stream: false,
    n: 1,
    messages: [said.user('Hello')],
    ...request,
  };
  const { body, jsonTool } = messagesRequest(deepFrozen(whole), 'vendor-name', traits, (parameter) => dropped.push(parameter));
  body satisfies Anthropic.MessageCreateParams;
  return { body, jsonTool, dropped };
}

const conversed = (messages: Message[], traits = modern) => translate({ messages }, traits).body;

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFrozen);
  return value;
}

describe('messagesRequest', () => {
  it('asks the vendor’s model for at most what it can generate', () => {
    expect(translate().body).toEqual({
      model: 'vendor-name',
      max_tokens: 64_000,
      stream: false,
      messages: [said.user([said.text('Hello')])],
    });
    expect(translate({ max_tokens: 7, stream: true }).body).toMatchObject({ max_tokens: 7, stream: true });
  });

  describe('conversation', () => {
    it('has a turn of the user where there are system prompts alone', () => {
      const { system, messages } = conversed([said.system('Be brief'), { role: 'developer', content: 'Greet me' }]);
      const content = [said.text('Be brief'), said.text('Greet me')];
      expect([system, messages]).toEqual([undefined, [said.user(content)]]);
    });

    it('sends one plain system prompt as text and several as blocks in order', () => {
      expect(conversed([said.system('Be brief'), said.user('Hi')]).system).toBe('Be brief');
      const { system } = conversed([
        said.system('One'),
        { role: 'developer', content: [{ type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } }] },
        said.user('Hi'),
      ]);
      expect(system).toEqual([said.text('One'), { type: 'text', text: 'Two', cache_control: { type: 'ephemeral' } }]);
    });

    it('puts a later prompt behind the user’s turn, so that a grown conversation keeps its beginning', () => {
      const first: Message[] = [said.system('A'), said.user('1'), said.assistant('2'), said.system('B'), said.user('3')];
      const one = conversed(first);
      expect(one.system).toBe('A');
      expect(one.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'system']);
      const two = conversed([...first, said.assistant('4'), said.user('5')]);
      expect(two.messages.slice(0, 4)).toEqual(one.messages);
    });

    it('moves a later prompt to the top where it has no place between turns', () => {
      const messages: Message[] = [said.user('1'), said.system('Late'), said.user('2')];
      expect(conversed(messages, older)).toMatchObject({ system: 'Late', messages: [{ role: 'user' }] });
      const atTheEnd: Message[] = [said.user('1'), said.assistant('2'), said.system('Late')];
      expect(conversed(atTheEnd)).toMatchObject({ system: 'Late', messages: [{ role: 'user' }, { role: 'assistant' }] });
    });

    it('merges neighbours of one role and leaves out what says nothing', () => {
      const { messages } = conversed([said.user('a'), said.user([said.text('b'), said.text(' \n')]), said.assistant(''), said.user('c')]);
      expect(messages).toEqual([said.user(['a', 'b', 'c'].map((text) => ({ type: 'text', text })))]);
    });

    it('sends images as data and as addresses, and PDF files', () => {
      const { messages } = conversed([
        said.user([
          { type: 'image_url', image_url: { url: 'data:image/jpg;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'https://example.com/cat.png' }, cache_control: { type: 'ephemeral', ttl: '1h' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
        ]),
      ]);
      expect(messages[0]?.content).toEqual([
        { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAAA' } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/cat.png' }, cache_control: { type: 'ephemeral', ttl: '1h' } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, title: 'a.pdf' },
      ]);
    });

    it.each([
      ['an image of another type', { type: 'image_url', image_url: { url: 'data:image/tiff;base64,AAAA' } }],
      ['an image that is not base64', { type: 'image_url', image_url: { url: 'data:image/png,AAAA' } }],
      ['an address of our own machine', { type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
      ['a file of our account', { type: 'file', file: { file_id: 'file_011' } }],
      ['sound', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
    ])('refuses %s', (_what, part) => {
      expect(() => conversed([said.user([part])])).toThrow(expect.objectContaining({ kind: 'invalid_request' }));
    });

    it('marks the last block of a message that is marked for the cache as a whole', () => {
      const mark = { type: 'ephemeral' };
      const { messages } = conversed([
        { role: 'user', content: 'a', cache_control: mark },
        { role: 'assistant', content: 'b', tool_calls: [said.call('c1', 'weather', '{}')], cache_control: mark },
        { role: 'tool', tool_call_id: 'c1', content: 'fine', cache_control: mark },
      ]);
      expect(messages).toEqual([
        said.user([{ type: 'text', text: 'a', cache_control: mark }]),
        said.assistant([said.text('b'), { type: 'tool_use', id: 'c1', name: 'weather', input: {}, cache_control: mark }]),
        said.user([{ type: 'tool_result', tool_use_id: 'c1', content: 'fine', cache_control: mark }]),
      ]);
    });
  });

  describe('tools', () => {
    it('turns calls and results into blocks, all results in one turn before what the user says', () => {
      const { messages } = conversed([
        said.user('Weather?'),
        said.assistant(null, [said.call('a', 'weather', '{"city":"Rome"}'), said.call('functions.b:1', 'weather', '')]),
        said.result('a', 'sunny'),
        said.user('Well?'),
        said.result('functions.b:1', [{ type: 'image_url', image_url: { url: 'https://example.com/map.png' } }]),
      ]);
      expect(messages.slice(1)).toEqual([
        said.assistant([
          { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Rome' } },
          { type: 'tool_use', id: 'functions_b_1', name: 'weather', input: {} },
        ]),
        said.user([
          { type: 'tool_result', tool_use_id: 'a', content: 'sunny' },
          {
            type: 'tool_result',
            tool_use_id: 'functions_b_1',
            content: [{ type: 'image', source: { type: 'url', url: 'https://example.com/map.png' } }],
          },
          said.text('Well?'),
        ]),
      ]);
    });

    it('says of a result that it tells of a failure', () => {
      const { messages } = conversed([
        { role: 'tool', tool_call_id: 'a', content: 'no such city', is_error: true },
        { role: 'tool', tool_call_id: 'b', content: 'sunny', is_error: false },
      ]);
      expect(messages[0]!.content).toEqual([
        { type: 'tool_result', tool_use_id: 'a', content: 'no such city', is_error: true },
        { type: 'tool_result', tool_use_id: 'b', content: 'sunny' },
      ]);
    });

    it('keeps long ids of calls apart and with their results, in an id of 1,024 characters', () => {
      const [one, other] = ['1', '2'].map((last) => '€'.repeat(2_000) + last) as [string, string];
      const { messages } = conversed([
        said.assistant(null, [said.call(one, 'weather', ''), said.call(other, 'weather', '')]),
        said.result(other, 'sunny'),
      ]);
      const calls = (messages[0]!.content as { id: string }[]).map(({ id }) => id);
      expect(calls).toEqual([expect.stringMatching(/^_{1008}[0-9a-f]{16}$/), expect.stringMatching(/^_{1008}[0-9a-f]{16}$/)]);
      expect(calls[0]).not.toBe(calls[1]);
      expect(messages[1]!.content).toEqual([{ type: 'tool_result', tool_use_id: calls[1], content: 'sunny' }]);
    });

    it('takes seconds, and not minutes, for many results and prompts', () => {
      const results = Array.from({ length: 150_000 }, (): Message => ({ role: 'tool', tool_call_id: 'c', content: 'fine' }));
      const since = performance.now();
      const { messages } = conversed([said.user('a'), ...results]);
      expect(messages.map(({ content }) => content.length)).toEqual([150_001]);
      expect(messages[0]!.content.at(-1)).toEqual(said.text('a'));
      const prompt: Message = said.system(Array.from({ length: 2_000 }, () => ({ type: 'text', text: 'a' })));
      const before: Message[] = [said.user('a'), said.assistant('b')];
      expect(conversed([...before, ...Array.from({ length: 100 }, () => prompt)]).system).toHaveLength(200_000);
      expect(performance.now() - since).toBeLessThan(10_000);
    });

    it.each(['{"city":', '"Rome"', '[1]', 'null'])('refuses the arguments %s', (text) => {
      const messages: Message[] = [said.assistant(null, [said.call('a', 'weather', text)])];
      expect(() => conversed(messages)).toThrow(expect.objectContaining({ kind: 'invalid_request' }));
    });

    it('declares tools with their cache marks, and an empty object where parameters are left out', () => {
      const marked = { ...weather, cache_control: { type: 'ephemeral' } };
      const { body } = translate({ tools: [marked, { type: 'function', function: { name: 'now' } }] });
      expect(body.tools).toEqual([
        {
          name: 'weather',
          description: 'Tells the weather',
          input_schema: { type: 'object', properties: { city: { type: 'string' } } },
          cache_control: { type: 'ephemeral' },
        },
        { name: 'now', input_schema: { type: 'object', properties: {} } },
      ]);
      expect(body.tool_choice).toBeUndefined();
    });

    it.each([
      ['auto', undefined, { type: 'auto' }],
      ['none', false, { type: 'none' }],
      ['required', undefined, { type: 'any' }],
      ['required', false, { type: 'any', disable_parallel_tool_use: true }],
      [{ type: 'function', function: { name: 'weather' } }, true, { type: 'tool', name: 'weather' }],
      [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    ] as const)('translates tool_choice %j with parallel_tool_calls %j', (tool_choice, parallel_tool_calls, expected) => {
      expect(translate({ tools: [weather], tool_choice, parallel_tool_calls }).body.tool_choice).toEqual(expected);
    });

    it('refuses to demand a call of a model that cannot be made to', () => {
      expect(() => translate({ tools: [weather], tool_choice: 'required' }, unforced)).toThrow(/tool_choice must be/);
      expect(translate({ tools: [weather], tool_choice: 'auto' }, unforced).body.tool_choice).toEqual({ type: 'auto' });
    });

    it('declares the tools of the past, not to be called, where none are offered now', () => {
      const { tools, tool_choice } = conversed([
        said.user('Weather?'),
        said.assistant(null, [said.call('a', 'weather', '{}')]),
        said.result('a', ''),
      ]);
      expect(tools).toEqual([{ name: 'weather', input_schema: { type: 'object', properties: {} } }]);
      expect(tool_choice).toEqual({ type: 'none' });
    });

    it('keeps to a strict schema where it can be kept, and names what it cannot keep', () => {
      const strict = (parameters: Record<string, unknown>): Tool => ({
        type: 'function',
        function: { name: 'f', parameters, strict: true },
      });
      const kept = translate({ tools: [strict({ type: 'object', properties: { n: { type: 'integer', minimum: 1 } } })] });
      expect(kept.body.tools?.[0]).toEqual({
        name: 'f',
        strict: true,
        input_schema: { type: 'object', properties: { n: { type: 'integer', description: '{minimum: 1}' } }, additionalProperties: false },
      });
      expect(kept.dropped).toEqual(['tools.minimum']);
      const open = translate({ tools: [strict({ type: 'object', additionalProperties: true })] });
      expect(open.body.tools?.[0]).toEqual({ name: 'f', input_schema: { type: 'object', additionalProperties: true } });
      expect(open.dropped).toEqual(['tools.strict']);
    });
  });

  describe('JSON', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 3 } }, required: ['a'] };
    const response_format = { type: 'json_schema' as const, json_schema: { name: 'answer', schema } };
    const openFormat = { type: 'json_schema' as const, json_schema: { name: 'answer', schema: { type: 'object' } } };

    it('constrains decoding to a schema', () => {
      const { body, jsonTool, dropped } = translate({ response_format, reasoning_effort: 'low' }, unforced);
      expect(body.output_config).toEqual({
        effort: 'low',
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { a: { type: 'string', description: '{maxLength: 3}' } },
            required: ['a'],
            additionalProperties: false,
          },
        },
      });
      expect(jsonTool).toBe(false);
      expect(dropped).toEqual(['response_format.maxLength']);
    });

    it('has a tool take the answer where there is no schema or it cannot be kept otherwise', () => {
      for (const [format, traits] of [
        [{ type: 'json_object' as const }, modern],
        [openFormat, modern],
        [response_format, common],
      ] as const) {
        const { body, jsonTool } = translate({ response_format: format }, traits);
        expect(jsonTool).toBe(true);
        expect(body.tools).toHaveLength(1);
        expect(body.tool_choice).toEqual({ type: 'tool', name: body.tools?.[0]?.name, disable_parallel_tool_use: true });
      }
    });

    it('lets the client’s tools be called beside it, and gives way to a call that the client demands', () => {
      const beside = translate({ response_format: { type: 'json_object' }, tools: [weather] });
      expect(beside.body.tools?.map(({ name }) => name)).toEqual(['weather', expect.any(String)]);
      expect(beside.body.tool_choice).toEqual({ type: 'any', disable_parallel_tool_use: true });
      const demanded = translate({ response_format: { type: 'json_object' }, tools: [weather], tool_choice: 'required' });
      expect(demanded.jsonTool).toBe(false);
      expect(demanded.body.tools).toHaveLength(1);
    });

    it('instructs a model that cannot be made to call a tool, and refuses a schema that it cannot keep to', () => {
      const messages: Message[] = [said.system('Be brief'), said.user('Hi')];
      const { body } = translate({ response_format: { type: 'json_object' }, messages }, unforced);
      expect(body.system).toEqual([said.text('Be brief'), said.text(expect.stringContaining('one JSON object') as string)]);
      expect(() => translate({ response_format: openFormat }, unforced)).toThrow(expect.objectContaining({ kind: 'invalid_request' }));
    });
  });

  describe('reasoning', () => {
    it.each([
      ['minimal', { type: 'adaptive', display: 'summarized' }, 'low'],
      ['medium', { type: 'adaptive', display: 'summarized' }, 'medium'],
      ['max', { type: 'adaptive', display: 'summarized' }, 'max'],
      ['none', { type: 'disabled' }, undefined],
    ])('sets the depth %s of a model that decides itself', (reasoning_effort, thinking, effort) => {
      const { body, dropped } = translate({ reasoning_effort });
      expect(body.thinking).toEqual(thinking);
      expect(body.output_config?.effort).toBe(effort);
      expect(dropped).toEqual([]);
    });

    it('takes the nearest shallower word that the model knows', () => {
      const traits: ModelTraits = { ...modern, efforts: ['low', 'medium', 'high', 'max'] };
      expect(translate({ reasoning_effort: 'xhigh' }, traits).body.output_config).toEqual({ effort: 'high' });
    });

    it.each([
      ['minimal', 1_024],
      ['medium', 8_192],
      ['xhigh', 32_000],
    ])('turns %s into a budget of at most half the output', (reasoning_effort, budget_tokens) => {
      expect(translate({ reasoning_effort }, older).body.thinking).toEqual({ type: 'enabled', budget_tokens });
    });

    it('names what it cannot honour', () => {
      expect(translate({ reasoning_effort: 'high', max_tokens: 2_000 }, older)).toMatchObject({ dropped: ['reasoning_effort'] });
      expect(translate({ reasoning_effort: 'profound' })).toMatchObject({ dropped: ['reasoning_effort'] });
      const always = translate({ reasoning_effort: 'none' }, unforced);
      expect(always.dropped).toEqual(['reasoning_effort']);
      expect(always.body).toMatchObject({ output_config: { effort: 'low' } });
      const forced = translate({ reasoning_effort: 'high', tools: [weather], tool_choice: 'required' }, older);
      expect(forced.body.thinking).toBeUndefined();
      expect(forced.dropped).toEqual(['reasoning_effort']);
    });

    it('leaves the vendor’s own setting as the client sent it', () => {
      const thinking = { type: 'enabled', budget_tokens: 2_000 };
      expect(translate({ reasoning_effort: 'low', extra: { thinking } }, older).body.thinking).toEqual(thinking);
    });

    it.each([
      ['absent', { thinking: { type: 'disabled' }, output_config: undefined }, []],
      ['disabled', { thinking: { type: 'disabled' }, output_config: undefined }, []],
      ['between_tools', { thinking: { type: 'between_tools' }, output_config: undefined }, []],
      ['never', { thinking: undefined, output_config: { effort: 'low' } }, ['thinking']],
    ] as const)('is switched off as far as the model lets: %s', (thinkingOff, expected, told) => {
      const { body, dropped } = translate({ extra: { thinking: { type: 'disabled' } } }, { ...modern, thinkingOff });
      expect([{ thinking: body.thinking, output_config: body.output_config }, dropped]).toEqual([expected, told]);
    });

    it('has half of max_tokens for a budget that does not fit into them, where that is enough to think', () => {
      const extra = { thinking: { type: 'enabled', budget_tokens: 31_999 } };
      expect(translate({ max_tokens: 32_000, extra }, older).dropped).toEqual([]);
      const lowered = translate({ max_tokens: 8_000, extra }, older);
      expect([lowered.body.thinking, lowered.dropped]).toEqual([{ type: 'enabled', budget_tokens: 4_000 }, ['thinking']]);
      expect(translate({ max_tokens: 2_000, extra }, older).body).not.toHaveProperty('thinking');
    });
  });

  describe('sampling', () => {
    it('lets the scale of temperature end at 1, and names it', () => {
      expect(translate({ temperature: 0.3 })).toMatchObject({ body: { temperature: 0.3 }, dropped: [] });
      expect(translate({ temperature: 1.5 })).toMatchObject({ body: { temperature: 1 }, dropped: ['temperature'] });
    });

    it('takes neither temperature nor top_p beside thinking', () => {
      expect(translate({ top_p: 0.5, extra: { top_k: 40 } }).body).toMatchObject({ top_p: 0.5, top_k: 40 });
      for (const traits of [older, modern]) {
        const thinking = translate({ temperature: 0, top_p: 0.5, reasoning_effort: 'low', extra: { top_k: 4 } }, traits);
        expect(thinking.dropped).toEqual(['temperature', 'top_p', 'top_k']);
        expect(thinking.body).not.toHaveProperty('temperature');
      }
    });

    it('refuses stop sequences that the vendor refuses, without which the answer would end elsewhere', () => {
      expect(translate({ stop: ['END'] }).body.stop_sequences).toEqual(['END']);
      for (const stop of [['END', '\n'], ['\n']]) {
        expect(() => translate({ stop })).toThrow(expect.objectContaining({ kind: 'invalid_request' }));
      }
    });

    it('names the user only by what names nobody', () => {
      expect(translate({ user: 'u-81f2' }).body.metadata).toEqual({ user_id: 'u-81f2' });
      for (const user of ['ada@example.com', '+44 20 7946 0000', 'x'.repeat(257)]) {
        expect(translate({ user })).toMatchObject({ dropped: ['user'] });
        expect(translate({ user }).body.metadata).toBeUndefined();
      }
    });

    it('passes a cache mark of the whole request', () => {
      expect(translate({ extra: { cache_control: { type: 'ephemeral' } } }).body.cache_control).toEqual({ type: 'ephemeral' });
    });
  });
});
