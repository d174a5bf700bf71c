import { copyMember, copyWith } from '../../wire/members.js';
import type { ChatLogprobs, Message } from '../../wire/chat-completion.js';
import type { CompletionLogprobs } from '../../wire/completion.js';
import type { ChatGenerationRequest, CompletionGenerationRequest, GenerationChoice, GenerationChunk } from '../../wire/generation.js';

/** Converts a prompt into a conversation of one message, for chat models where the operator allows completions. */
export function asChat(request: CompletionGenerationRequest): ChatGenerationRequest {
  const message: Message = { role: 'user' };
  copyMember(request, 'prompt', message, 'content');
  const { prompt: _prompt, suffix: _suffix, echo: _echo, logprobs, ...sampling } = copyWith(request, { prompt: '' });
  return {
    ...sampling,
    operation: 'chat',
    messages: [message],
    ...(logprobs === undefined ? {} : { logprobs: true, top_logprobs: logprobs }),
  };
}

/** Converts the chunks of one chat response into those of a completion. Text offsets count from its first chunk. */
export class ChatAsText {
  readonly #offsets = new Map<number, number>();

  chunk(chunk: GenerationChunk): GenerationChunk {
    return { ...chunk, choices: chunk.choices.map((choice) => this.#choice(choice)) };
  }

  #choice({ index, delta, logprobs, finish_reason }: GenerationChoice): GenerationChoice {
    const text = delta?.content ?? '';
    const offset = this.#offsets.get(index) ?? 0;
    this.#offsets.set(index, offset + text.length);
    return { index, text, finish_reason, logprobs: logprobs ? legacyLogprobs(logprobs as ChatLogprobs, offset) : null };
  }
}

function legacyLogprobs(logprobs: ChatLogprobs, offset: number): CompletionLogprobs {
  const legacy: CompletionLogprobs = { tokens: [], token_logprobs: [], top_logprobs: [], text_offset: [] };
  let position = offset;
  for (const { token, logprob, top_logprobs } of logprobs.content ?? []) {
    legacy.tokens.push(token);
    legacy.token_logprobs.push(logprob);
    legacy.top_logprobs!.push(Object.fromEntries(top_logprobs.map((top) => [top.token, top.logprob])));
    legacy.text_offset.push(position);
    position += token.length;
  }
  return legacy;
}
