export const CHAT = '/v1/chat/completions';
export const COMPLETION = '/v1/completions';
export const EMBEDDINGS = '/v1/embeddings';
export const MESSAGES = '/v1/messages';
export const RESPONSES = '/v1/responses';

/** Makes JSON around a value of JSON. */
type Around = (json: string) => string;

/** A format of requests: where its bodies have what. Members of a body end with a comma. */
export interface Form {
  readonly path: string;
  /** What a body must have, where nothing else is that member. */
  readonly asked: string;
  /** The last member, without a comma. */
  readonly last: string;
  /** The field whose elements are the conversation, or the inputs. */
  readonly turns: string;
  /** An element of it with this content, text or list. */
  readonly turn: Around;
  /** An element of it with a list that is not its content. */
  readonly inner: Around;
  /** A part of a content with this text. */
  readonly textPart: Around;
  /** A tool with this schema. */
  readonly tool: Around;
  /** Elements of it with a text that the gateway is to have written. */
  readonly carried?: readonly Around[];
  /** What a conversation may consist of: some turns with this text, where the calls have the ids of this index. */
  readonly exchanges?: readonly ((text: string, index: number) => string)[];
  /** Members with one text of nearly all the bytes of the body. */
  readonly textPlaces: readonly Around[];
}

const anywhere: readonly Around[] = [(text) => `"x":${text},`, (text) => `"x":[${text}],`];
/** Data of an image, which begins as none of the texts does. */
const asData = (text: string) => text.replace('€\\n', 'data:image/png;base64,');

const message: Around = (content) => `{"role":"user","content":${content}}`;
const call = '{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}';
const said = (messages: string) => `"messages":[${messages}],`;

/** Chats, and all that has their members: a legacy completion ignores what it does not know. */
export const chatForm: Form = {
  path: CHAT,
  asked: said(message('"x"')),
  last: '"n":1',
  turns: 'messages',
  turn: message,
  inner: (list) => `{"role":"assistant","content":"x","tool_calls":${list}}`,
  textPart: (text) => `{"type":"text","text":${text}}`,
  tool: (schema) => `{"type":"function","function":{"name":"t","parameters":${schema}}}`,
  textPlaces: [
    ...anywhere,
    (text) => `"stop":[${text}],`,
    (text) => `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"description":${text}}}},`,
    (text) => `"tools":[{"type":"function","function":{"name":"t","description":${text}}}],`,
    (text) => `"tools":[{"type":"function","function":{"name":"t","parameters":{"enum":["a",${text}]}}}],`,
    (text) => `"tools":[{"type":${text}}],`,
    (text) => said(`{"role":${text},"content":"x"}`),
    (text) => said(`{"role":"assistant","content":"x","reasoning_content":${text}}`),
    (text) => said(`{"role":"assistant","refusal":${text}}`),
    (text) => said(`{"role":"tool","content":"x","tool_call_id":${text}}`),
    (text) => said(`{"role":"assistant","tool_calls":[{"id":${text},"type":"function","function":{"name":"n","arguments":"{}"}}]}`),
    (text) => said(message(`[{"type":"text","text":"x"},{"type":"other","other":{"data":${text}}}]`)),
    (text) => said(message(text)),
    (text) => said(`{"role":"system","content":${text}},${message('"x"')}`),
    (text) => said(message(`[{"type":"text","text":${text}}]`)),
    (text) => said(message(`[{"type":"image_url","image_url":{"url":${asData(text)}}}]`)),
    (text) => said(`{"role":"assistant","tool_calls":[${call}]},{"role":"tool","tool_call_id":"c","content":${text}}`),
    (text) => said(`{"role":"assistant","content":"x","thinking_blocks":[{"type":"thinking","thinking":${text},"signature":"s"}]}`),
  ],
};

const answered = (blocks: string) => said(`{"role":"assistant","content":[${blocks}]},${message('"x"')}`);
const use = '{"type":"tool_use","id":"c","name":"n","input":{}}';
const result = (members: string) => answered(use).replace(/"x"\}\],$/, `[{"type":"tool_result",${members}}]}],`);
const shown = (block: string) => said(message(`[${block}]`));

export const messagesForm: Form = {
  path: MESSAGES,
  asked: said(message('"x"')),
  last: '"max_tokens":5',
  turns: 'messages',
  turn: message,
  inner: (list) => message(`[{"type":"tool_result","tool_use_id":"c","content":${list}}]`),
  textPart: (text) => `{"type":"text","text":${text}}`,
  tool: (schema) => `{"name":"t","input_schema":${schema}}`,
  carried: [
    (text) => `{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":${text}}]}`,
    (text) => `{"role":"assistant","content":[{"type":"redacted_thinking","data":${text}}]}`,
  ],
  exchanges: [
    (text) => message(`[${`{"type":"text","text":${text},"cache_control":null},`.repeat(5)}{"type":"text","text":"x"}]`),
    (text) =>
      `${message('"x"')},{"role":"assistant","content":[{"type":"thinking","thinking":${text},"signature":"s"},{"type":"text","text":"x"}]}`,
    (text) => `${message('"x"')},{"role":"assistant","content":[{"type":"redacted_thinking","data":${text}},{"type":"text","text":"x"}]}`,
    (text, index) =>
      `{"role":"assistant","content":[{"type":"tool_use","id":"c${index}","name":"n","input":{"a":${text}}}]},` +
      message(`[{"type":"tool_result","tool_use_id":"c${index}","content":[{"type":"text","text":${text}}]}]`),
    (text) =>
      message(
        `[{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":${text}}],"citations":{"enabled":false}}]`,
      ),
  ],
  textPlaces: [
    ...anywhere,
    (text) => `"system":${text},`,
    (text) => `"system":[{"type":"text","text":${text},"cache_control":{"type":"ephemeral"}}],`,
    (text) => `"stop_sequences":[${text}],`,
    (text) => `"metadata":{"user_id":${text}},`,
    (text) => `"output_config":{"format":{"type":"json_schema","schema":{"description":${text}}}},`,
    (text) => `"tools":[{"name":"t","description":${text},"input_schema":{}}],`,
    (text) => `"tools":[{"name":"t","input_schema":{"enum":["a",${text}]}}],`,
    (text) => `"tools":[{"name":"t","type":${text},"input_schema":{}}],`,
    (text) => `"tool_choice":{"type":"tool","name":${text}},`,
    (text) => said(`{"role":${text},"content":"x"}`),
    (text) => said(message(text)),
    (text) => shown(`{"type":${text}}`),
    (text) => shown(`{"type":"text","text":${text}}`),
    (text) => shown(`{"type":"text","text":"x","other":${text}}`),
    (text) => shown(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":${text}}}`),
    (text) => shown(`{"type":"document","title":"t","source":{"type":"base64","media_type":"application/pdf","data":${text}}}`),
    (text) => shown(`{"type":"document","context":${text},"source":{"type":"text","media_type":"text/plain","data":${text.slice(0, 9)}"}}`),
    (text) => shown(`{"type":"document","source":{"type":"content","content":[{"type":"text","text":${text}}]}}`),
    (text) => shown(`{"type":"search_result","source":"s","title":${text},"content":[{"type":"text","text":"x"}]}`),
    (text) => answered(`{"type":"text","text":${text}}`),
    (text) => answered(`{"type":"text","text":${text}},{"type":"thinking","thinking":"x","signature":"s"}`),
    (text) => answered(`{"type":"thinking","thinking":${text},"signature":"s"},{"type":"text","text":"x"}`),
    (text) => answered(`{"type":"thinking","thinking":"x","signature":${text}}`),
    (text) => answered(`{"type":"redacted_thinking","data":${text}}`),
    (text) => answered(`{"type":"redacted_thinking","data":${text.replace('€\\n', 'switchyard:')}}`),
    (text) => answered(use.replace('"c"', text)),
    (text) => answered(use.replace('{}', `{"a":${text}}`)),
    (text) => result(`"tool_use_id":"c","content":${text}`),
    (text) => result(`"tool_use_id":"c","content":[{"type":"text","text":${text}}]`),
    (text) => result(`"tool_use_id":${text},"content":"x"`),
  ],
};

const items = (json: string) => `"input":[${json}],`;
const item = (type: string, members: string) => items(`{"type":"${type}",${members}},${message('"x"')}`);
const content = (part: string) => items(message(`[${part}]`));
const functionCall = '{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}';

export const responsesForm: Form = {
  path: RESPONSES,
  asked: items(message('"x"')),
  last: '"store":false',
  turns: 'input',
  turn: message,
  inner: (list) => `{"type":"reasoning","summary":${list}}`,
  carried: [(text) => `{"type":"reasoning","summary":[],"encrypted_content":${text}},${functionCall}`],
  exchanges: [
    (text) =>
      `${message('"x"')},{"type":"reasoning","summary":[{"type":"summary_text","text":${text}}]},{"role":"assistant","content":"x"}`,
    (text) => `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":${text}}]},{"role":"assistant","content":"x"}`,
    (text, index) =>
      `{"type":"custom_tool_call","call_id":"c${index}","name":"n","input":${text}},{"type":"custom_tool_call_output","call_id":"c${index}","output":${text}}`,
    (text, index) =>
      `{"type":"function_call","call_id":"c${index}","name":"n","arguments":"{}"},{"type":"function_call_output","call_id":"c${index}","output":[{"type":"input_text","text":${text}}]}`,
  ],
  textPart: (text) => `{"type":"input_text","text":${text}}`,
  tool: (schema) => `{"type":"function","name":"t","parameters":${schema}}`,
  textPlaces: [
    ...anywhere,
    (text) => `"instructions":${text},`,
    (text) => `"input":${text},`,
    (text) => `"text":{"format":{"type":"json_schema","name":"n","schema":{"description":${text}}}},`,
    (text) => `"metadata":{"a":${text}},`,
    (text) => `"include":[${text}],`,
    (text) => `"previous_response_id":${text},`,
    (text) => `"tools":[{"type":"function","name":"t","description":${text}}],`,
    (text) => `"tools":[{"type":"function","name":"t","parameters":{"enum":["a",${text}]}}],`,
    (text) => `"tools":[{"type":"custom","name":"t","format":{"type":"grammar","syntax":"lark","definition":${text}}}],`,
    (text) => `"tools":[{"type":${text}}],`,
    (text) => `"tool_choice":{"type":"function","name":${text}},`,
    (text) => items(message(text)),
    (text) => items(`{"role":${text},"content":"x"}`),
    (text) => items(`{"type":${text}}`),
    (text) => items(`{"id":${text}}`),
    (text) => content(`{"type":"input_text","text":${text}}`),
    (text) => content(`{"type":"input_image","image_url":${asData(text)}}`),
    (text) => content(`{"type":"input_image","image_url":"data:image/png;base64,AA","detail":${text}}`),
    (text) => content(`{"type":"input_file","filename":"f","file_data":${text.replace('€\\n', 'data:application/pdf;base64,')}}`),
    (text) => content(`{"type":"input_audio","input_audio":{"format":"wav","data":${text}}}`),
    (text) => items(`{"role":"assistant","content":[{"type":"output_text","text":${text}}]},${message('"x"')}`),
    (text) => items(`{"role":"assistant","content":[{"type":"refusal","refusal":${text}}]},${message('"x"')}`),
    (text) => item('function_call', `"call_id":"c","name":"n","arguments":${text}`),
    (text) => item('function_call', `"call_id":${text},"name":"n","arguments":"{}"`),
    (text) => item('function_call', `"call_id":"c","name":${text},"arguments":"{}"`),
    (text) => item('custom_tool_call', `"call_id":"c","name":"n","input":${text}`),
    (text) => items(`${functionCall},{"type":"function_call_output","call_id":"c","output":${text}}`),
    (text) => items(`${functionCall},{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":${text}}]}`),
    (text) => items(`${functionCall},{"type":"function_call_output","call_id":${text},"output":"x"}`),
    (text) => item('reasoning', `"summary":[{"type":"summary_text","text":${text}}]`),
    (text) => item('reasoning', `"summary":[],"content":[{"type":"reasoning_text","text":${text}},{"type":"reasoning_text","text":"x"}]`),
    (text) => item('reasoning', `"summary":[],"encrypted_content":${text}`),
    (text) =>
      items(
        `{"type":"reasoning","summary":[{"type":"summary_text","text":"x"}],"encrypted_content":${text.replace('€\\n', 'switchyard.1.s.')}},` +
          `{"role":"assistant","content":[{"type":"output_text","text":"x"}]},${message('"x"')}`,
      ),
    (text) => items(`{"type":"reasoning","summary":[],"encrypted_content":${text.replace('€\\n', 'switchyard.1.c.')}},${functionCall}`),
    (text) =>
      items(
        `${functionCall},{"role":"assistant","content":[{"type":"output_text","text":${text}}]},` +
          `{"type":"reasoning","summary":[],"encrypted_content":"switchyard.1.s.x"},${functionCall}`,
      ),
  ],
};

export const embeddingsForm: Form = {
  path: EMBEDDINGS,
  asked: '"input":"x",',
  last: '"encoding_format":"float"',
  turns: 'input',
  turn: (text) => text,
  inner: (list) => list,
  textPart: (text) => text,
  tool: (schema) => schema,
  textPlaces: [
    ...anywhere,
    (text) => `"input":${text},`,
    (text) => `"input":[${text}],`,
    (text) => `"input":["x",${text},"y"],`,
    (text) => `"input":[[${text}]],`,
    (text) => `"input":[1,${text}],`,
    (text) => `"user":${text},`,
    (text) => `"input_type":${text},`,
  ],
};
