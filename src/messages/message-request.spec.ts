import type { BlockParam } from '../wire/anthropic-message.js';
import { WireValidationPipe } from '../http/requests/wire-validation.pipe.js';
import { CreateMessageDto } from './create-message.dto.js';
import { messageRequest } from './message-request.js';
import { carriedReader, carriedTexts } from '../inference/carried/testing/carried-texts.js';
import { said } from '../wire/testing/said.js';

const pipe = new WireValidationPipe(CreateMessageDto, 'extra');
const least = { model: 'm', max_tokens: 10, messages: [said.user('Hi')] };
const requestOf = (body: object, headers: Record<string, string> = {}) =>
  messageRequest(pipe.transform({ ...least, ...body }), headers, carriedReader());

describe('messageRequest', () => {
  it('passes on no member that it has not checked', () => {
    const more = { more: 'x'.repeat(100) };
    const source = { type: 'text', media_type: 'text/plain', data: 'd' };
    const content: object[] = [
      { type: 'text', text: 'a', ...more, cache_control: { type: 'ephemeral', ...more } },
      { type: 'document', source: { ...source, ...more }, ...more },
      { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'r', ...more }], ...more },
    ];
    const request = requestOf({
      messages: [{ role: 'user', content, ...more }],
      tools: [{ name: 't', input_schema: { type: 'object' }, ...more }],
      thinking: { type: 'enabled', budget_tokens: 5, ...more },
      metadata: { user_id: 'u', ...more },
    });
    expect(JSON.stringify(request.native!.body)).not.toContain('more');
    expect(JSON.stringify(request.messages)).not.toContain('more');
    expect(JSON.stringify(request.tools)).not.toContain('more');
  });

  it('keeps results of tools apart, and in the order of the turn', () => {
    const content = [
      { type: 'tool_result', tool_use_id: 'a', content: 'one', is_error: true },
      { type: 'tool_result', tool_use_id: 'b' },
      { type: 'tool_result', tool_use_id: 'c', content: [] },
      said.text('And?'),
    ];
    expect(requestOf({ messages: [said.user(content)] }).messages).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'one', is_error: true },
      said.result('b', ''),
      said.result('c', ''),
      said.user('And?'),
    ]);
  });

  it('tells documents and search results in texts', () => {
    const content = [
      { type: 'document', title: 'Tides', context: 'of 2026', source: { type: 'text', media_type: 'text/plain', data: 'High at noon.' } },
      { type: 'search_result', source: 'https://example.com', title: 'T', content: [said.text('found')] },
    ];
    const [message] = requestOf({ messages: [said.user(content)] }).messages;
    expect(message!.content).toEqual(
      ['Tides', 'of 2026', 'High at noon.', 'T', 'https://example.com', 'found'].map((one) => ({ type: 'text', text: one })),
    );
  });

  it('gives back to another vendor what it has signed', () => {
    const content: BlockParam[] = [
      {
        type: 'thinking',
        thinking: 'sum',
        signature: carriedTexts.write({ block: { type: 'thinking', wire: 'openai-responses', data: 'enc' } }),
      },
      { type: 'redacted_thinking', data: carriedTexts.write({ extra_content: { google: { thought_signature: 's' } }, of: 'call' }) },
      { type: 'tool_use', id: 'c', name: 'f', input: {} },
    ];
    const [, message] = requestOf({ messages: [least.messages[0], said.assistant(content)] }).messages;
    expect(message).toMatchObject({
      thinking_blocks: [{ index: 0, type: 'thinking', thinking: 'sum', wire: 'openai-responses', data: 'enc' }],
      tool_calls: [{ id: 'c', extra_content: { google: { thought_signature: 's' } } }],
    });
  });

  it('is translated for Anthropic where another vendor has thought', () => {
    const after = (content: object[]) => requestOf({ messages: [least.messages[0], said.assistant(content), least.messages[0]] }).native;
    const text = said.text('A');
    expect(after([{ type: 'thinking', thinking: 'hm', signature: '' }, text])).toBeUndefined();
    expect(after([{ type: 'thinking', thinking: 'hm', signature: 'switchyard.2.forged' }, text])).toBeUndefined();
    expect(after([{ type: 'redacted_thinking', data: carriedTexts.write({ extra_content: {}, of: 'call' }) }, text])).toBeUndefined();
    expect(after([{ type: 'thinking', thinking: 'hm', signature: 'sig' }, text])).toBeDefined();
  });

  it('takes thinking without a signature for reasoning of whoever signs nothing', () => {
    const content = [{ type: 'thinking', thinking: 'hm', signature: '' }, said.text('A')];
    const [, message] = requestOf({ messages: [least.messages[0], said.assistant(content)] }).messages;
    expect(message).toEqual({ role: 'assistant', content: 'A', reasoning_content: 'hm' });
  });

  it.each([
    [{ type: 'auto' }, 'auto', undefined],
    [{ type: 'any', disable_parallel_tool_use: true }, 'required', false],
    [{ type: 'tool', name: 'f' }, { type: 'function', function: { name: 'f' } }, undefined],
    [{ type: 'none' }, 'none', undefined],
  ])('translates the choice of tools %j', (tool_choice, choice, parallel) => {
    const request = requestOf({ tools: [{ name: 'f', input_schema: { type: 'object' } }], tool_choice });
    expect([request.tool_choice, request.parallel_tool_calls]).toEqual([choice, parallel]);
  });

  it.each([
    [{ thinking: { type: 'adaptive' } }, 'high'],
    [{ thinking: { type: 'enabled', budget_tokens: 5 } }, 'low'],
    [{ thinking: { type: 'disabled' } }, undefined],
    [{ output_config: { effort: 'max' } }, 'xhigh'],
  ])('says with %j how deep to think', (body, effort) => {
    expect(requestOf(body).reasoning_effort).toBe(effort);
  });

  it('lets through the names of features that cost nothing', () => {
    const headers = { 'anthropic-beta': 'interleaved-thinking-2025-05-14, context-1m-2025-08-07,mcp-client-2025-04-04,x\u0000' };
    expect(requestOf({}, headers).native!.headers).toEqual({ 'anthropic-beta': 'interleaved-thinking-2025-05-14' });
    expect(requestOf({}).native!.headers).toBeUndefined();
  });

  it.each([
    [{ max_tokens: undefined }, 'max_tokens must be an integer'],
    [{ messages: [] }, 'messages must be a non-empty array'],
    [{ messages: [{ role: 'tool', content: 'x' }] }, "messages[0].role must be 'user', 'assistant' or 'system'"],
    [{ messages: [said.user([{ type: 'tool_use', id: 'a', name: 'b', input: {} }])] }, 'messages[0].content[0].type must be one of'],
    [{ messages: [said.user([{ type: 'constructor' }])] }, 'messages[0].content[0].type must be one of'],
    [{ messages: [said.assistant([{ type: 'tool_use', id: 'a', name: 'b', input: '{}' }])] }, '.input must be an object'],
    [{ messages: [said.user([{ type: 'image', source: { type: 'file', file_id: 'f' } }])] }, ".source.type must be 'base64' or 'url'"],
    [{ tool_choice: { type: 'tool', name: 'f' } }, 'tool_choice.name must be the name of one of the tools'],
    [{ thinking: { type: 'enabled', budget_tokens: 10 } }, 'thinking.budget_tokens must be less than max_tokens'],
    [{ stop_sequences: 'x' }, 'stop_sequences must be an array of strings'],
    [{ temperature: 1.5 }, 'temperature must be a number from 0 to 1'],
    [{ system: [{ type: 'image' }] }, 'system[0].type must be one of text'],
  ])('refuses %j', (wrong, message) => {
    expect(() => requestOf(wrong)).toThrow(message);
  });
});
