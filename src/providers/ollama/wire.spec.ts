import type * as ollama from 'ollama';
import type * as ours from './wire.js';

/** Fails to compile where `A` is not a `B`. */
type Is<A extends B, B> = A;

/** What its client's types lack, and its server reads: api/types.go of github.com/ollama/ollama. */
type Unlisted = 'truncate' | 'tool_call_id';

/** What we send, the vendor's own client may send. The words of `think` are each model's own. */
type Sent = [
  Is<Exclude<keyof ours.ChatBody, Unlisted>, keyof ollama.ChatRequest>,
  Is<Omit<ours.ChatBody, Unlisted | 'think'>, ollama.ChatRequest>,
  Is<Exclude<keyof ours.GenerateBody, Unlisted>, keyof ollama.GenerateRequest>,
  Is<Omit<ours.GenerateBody, Unlisted | 'think'>, ollama.GenerateRequest>,
  Is<Exclude<keyof ours.OllamaMessage, Unlisted>, keyof ollama.Message>,
  Is<Exclude<keyof ours.OllamaToolCall, 'id'>, keyof ollama.ToolCall>,
  Is<ours.OllamaTool, ollama.Tool>,
  Is<KnownKeys<ours.ModelOptions>, keyof ollama.Options>,
  Is<(typeof import('./model-options.js').optionNames)[number], keyof ollama.Options>,
];

/** The names of a type that has others, too. */
type KnownKeys<T> = keyof { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

/** What the vendor's own client reads, we read. */
type Read = [
  Is<ollama.ChatResponse, ours.OllamaResponse>,
  Is<ollama.GenerateResponse, ours.OllamaResponse>,
  Is<Exclude<keyof ours.OllamaResponse, 'error' | 'prompt_eval_cached_count'>, keyof ollama.ChatResponse | keyof ollama.GenerateResponse>,
  Is<ollama.ListResponse, ours.TagsResponse>,
  Is<keyof ours.TagsResponse['models'][number], keyof ollama.ModelResponse>,
  Is<ollama.ShowResponse, ours.ShowResponse>,
  Is<Exclude<keyof ours.ShowResponse, 'thinking'>, keyof ollama.ShowResponse>,
];

describe('the wire types', () => {
  it('are those of Ollama’s own client, which the compiler checks', () => {
    const checked: [Sent, Read] | undefined = undefined;
    expect(checked).toBeUndefined();
  });
});
