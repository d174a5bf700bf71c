import type { AnswerMembers } from './answer-members.js';
import type { ByteText } from './byte-text.js';
import type { ChatLogprobs, Delta, FinishReason, Message, ResponseFormat, Tool, ToolChoice } from './chat-completion.js';
import type { CompletionLogprobs } from './completion.js';
import type { CustomTool } from './custom-tool.js';
import type { Embedding, EmbeddingRequest } from './embedding.js';
import type { HostedTool } from './hosted-tool.js';
import type { Integer } from './integer.js';
import type { JsonObject } from './json-object.js';
import type { NativeRequest } from './native.js';
import type { RerankRequest } from './rerank.js';
import type { Sampling } from './sampling-shape.js';
import type { PromptTokensDetails, Usage } from './usage.js';

export interface ChatGenerationRequest extends Sampling {
  readonly operation: 'chat';
  readonly messages: readonly Message[];
  /** All of them functions: an endpoint leaves out those that a choice of allowed tools does not name. */
  readonly tools?: readonly Tool[];
  /**
   * Those of the tools that are custom, each of which is among `tools` as the function that stands for it
   * (`functionOf`); so are their calls in the messages. The endpoint translates calls in the answer back (`CustomCalls`).
   */
  readonly custom_tools?: readonly CustomTool[];
  readonly tool_choice?: ToolChoice;
  readonly parallel_tool_calls?: boolean;
  readonly response_format?: ResponseFormat;
  readonly logprobs?: boolean;
  readonly top_logprobs?: number;
  readonly reasoning_effort?: string;
  /** Tools that the vendor runs or has declared: where there are any, the provider is asked by `native` or not at all. */
  readonly hosted_tools?: readonly HostedTool[];
  /** Items of such tools in the conversation, as `native` has them beside what the messages say of them. */
  readonly hosted_items?: readonly JsonObject[];
  /** Calls of hosted tools at most. */
  readonly max_tool_calls?: number;
  readonly native?: NativeRequest;
}

export interface CompletionGenerationRequest extends Sampling {
  readonly operation: 'completion';
  /** One prompt: the endpoint turns an array into one request each. Token ids only where the offer takes them. */
  readonly prompt: string | readonly Integer[];
  readonly suffix?: string;
  /** True only where the offer lists `echo` among its parameters. Text and logprobs then begin with the prompt. */
  readonly echo?: boolean;
  /** Most likely tokens to report, 0 to 5; absent means no logprobs. */
  readonly logprobs?: number;
}

export type GenerationRequest = ChatGenerationRequest | CompletionGenerationRequest;

/** What generates no text: each of several inputs is read by itself. A provider has a method for each of them. */
export type OverInputs = EmbeddingRequest | RerankRequest;

/** What the pipeline plans, holds, asks and meters. */
export type InferenceRequest = GenerationRequest | OverInputs;

export function isOverInputs(request: InferenceRequest): request is OverInputs {
  return 'input' in request;
}

/**
 * One delta of one choice. A chat request is answered with `delta`, a completion request with `text`. The answer to one
 * call for embeddings is one choice, whose index is that of its first input.
 */
export interface GenerationChoice {
  index: number;
  delta?: Delta;
  text?: string;
  /** Of a call over inputs: what each of them was answered with. */
  answers?: readonly (Embedding | number)[];
  logprobs?: ChatLogprobs | CompletionLogprobs | null;
  /** Null until the last delta of the choice. */
  finish_reason: FinishReason | null;
  /** The sequence of `stop` before which the choice has ended, beside its finish_reason, where the provider tells it. */
  stop_sequence?: string;
  /** The vendor has paused within calls of its own tools: its answer goes on once it is sent back. */
  paused?: true;
}

export interface GenerationChunk {
  /** Empty in a chunk without anything else, by which the provider says that it is alive while it has no output. */
  choices: readonly GenerationChoice[];
  /** Set exactly once in a response, in its last chunk or with the last finish_reason. */
  usage?: Usage;
  /**
   * Prompt tokens, where the provider knows them before its usage. They are the price of a client that leaves early.
   */
  promptTokens?: number;
  /** Parts of those tokens, where the provider knows them by then. */
  promptDetails?: PromptTokensDetails;
  /**
   * What the provider has counted since the beginning of its answer, where it tells that before its usage. It is the
   * least that a client costs who leaves early.
   */
  usageSoFar?: Partial<Usage>;
  /** The service tier at which it answers, where the provider says so before its usage. */
  serviceTier?: string;
  /**
   * The provider has ended every choice, and what follows is its usage at most. The chunks with the finish reasons may
   * come later than this.
   */
  ended?: true;
  /** Beside `ended`: why the only choice has ended, where its chunk with the finish reason comes later. */
  endedBy?: FinishReason;
  /** Each when it is first known. */
  extra?: Readonly<AnswerMembers>;
  /** Completion tokens in this chunk, where the provider knows them; otherwise they are estimated from the text. */
  tokens?: number;
  /**
   * One event or several that one read brought, whose payload the provider already has as the client gets it: deltas of
   * one choice that differ in nothing but their text. `choices` holds that text joined, for metering, and the endpoint
   * need not serialise it.
   */
  run?: TextRun;
}

/**
 * Each literal is an event of its own for the client. The payload of event i is `head + literals[i] + tail`: from the
 * `"choices"` member to the end of the object, to be written behind the endpoint's own envelope members.
 */
export interface TextRun {
  /** From `"choices"` to the opening quotation mark of the text. */
  readonly head: ByteText;
  /** From the closing quotation mark of the text to the closing brace of the event's object. */
  readonly tail: ByteText;
  /** Contents of JSON string literals; at least one, none of them empty. */
  readonly literals: readonly ByteText[];
}
