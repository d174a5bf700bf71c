import type { ToolCall } from '../chat-completion.js';

/** The messages of a conversation and what stands in them, in few words. */
export const said = {
  system: <Content>(content: Content) => ({ role: 'system' as const, content }),
  user: <Content>(content: Content) => ({ role: 'user' as const, content }),
  assistant: <Content>(content: Content, tool_calls?: ToolCall[]) => ({
    role: 'assistant' as const,
    content,
    ...(tool_calls && { tool_calls }),
  }),
  result: <Content>(tool_call_id: string, content: Content) => ({ role: 'tool' as const, tool_call_id, content }),
  text: (text: string) => ({ type: 'text' as const, text }),
  call: (id: string, name: string, text: string): ToolCall => ({ id, type: 'function', function: { name, arguments: text } }),
};
