import type { ResponseFormat, Tool } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { type SandboxResponse, type ResponseTask, outputLimit } from './response.js';
import type { ChoiceDeltas } from './choice-delta.js';
import { PromptReader, type ReadPrompt } from './prompt-reader.js';
import { type SchemaHints, schemaHints } from './schema-hints.js';
import { textDeltas } from './text-deltas.js';
import { KnownTokens, type Ranking, SampledTokens, type TokenSource } from './token-source.js';
import { chooseTools } from './tool-choice.js';
import { type PlannedCall, toolCallDeltas } from './tool-call-deltas.js';
import { toolResultText } from './tool-result.js';
import { lastMessage, messageText, transcript } from './transcript.js';

/** The length, in tokens, of the sentence that fills the text fields of structured outputs. */
const SENTENCE_TOKENS = 60;

type ChatTask = ResponseTask<ChatGenerationRequest>;

export async function chatResponse(task: ChatTask): Promise<SandboxResponse> {
  const { request } = task;
  const reader = new PromptReader(task.language, task.contextLength, task.pacer, task.signal);
  const prompt = await reader.readConversation(transcript(request.messages));
  const tools = chooseTools(request);
  const choices: ChoiceDeltas[] = [];
  for (let choice = 0; choice < request.n; choice++) {
    choices.push(tools.length > 0 ? await callTools(task, prompt, tools, choice) : await writeText(task, prompt, choice));
  }
  return { promptTokens: prompt.tokenCount, choices, callsTools: tools.length > 0 };
}

async function callTools(task: ChatTask, prompt: ReadPrompt, tools: readonly Tool[], choice: number): Promise<ChoiceDeltas> {
  const hints = structuredHints(task, prompt, choice);
  const calls: PlannedCall[] = [];
  for (const tool of tools) {
    const { name, parameters = {} } = tool.function;
    calls.push({ name, arguments: await instance(task, { type: 'object', ...parameters }, hints, choice) });
  }
  return toolCallDeltas(calls, task.language.tokenizer, outputLimit(task, prompt.tokenCount));
}

async function writeText(task: ChatTask, prompt: ReadPrompt, choice: number): Promise<ChoiceDeltas> {
  const limits = { maxTokens: outputLimit(task, prompt.tokenCount), stop: task.request.stop ?? [], offset: 0 };
  return textDeltas(await tokenSource(task, prompt, choice), task.language.vocabulary, limits);
}

async function tokenSource(task: ChatTask, prompt: ReadPrompt, choice: number): Promise<TokenSource> {
  const { request, language } = task;
  const ranking: Ranking = request.logprobs === true ? (request.top_logprobs ?? 0) : undefined;
  const reading = prompt.reading.copy();
  const known = await knownText(task, prompt, choice);
  return known === undefined
    ? new SampledTokens(language.model, reading, task.sampling.sampler(choice), ranking)
    : new KnownTokens(language.model, reading, language.tokenizer.encode(known), ranking);
}

/**
 * The text of a choice whose form is given: JSON, or what a function returned. Undefined where the model writes freely.
 */
async function knownText(task: ChatTask, prompt: ReadPrompt, choice: number): Promise<string | undefined> {
  const { request } = task;
  const schema = requestedSchema(request.response_format);
  if (schema) return instance(task, schema, structuredHints(task, prompt, choice), choice);
  return request.messages.at(-1)?.role === 'tool' ? toolResultText(request.messages) : undefined;
}

/** The schema for `json_object`, which asks for no more than an object: one with a text in it. */
const anyObject = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'], additionalProperties: false };

function requestedSchema(format: ResponseFormat | undefined): Readonly<Record<string, unknown>> | undefined {
  if (format?.type === 'json_schema') return format.json_schema.schema ?? anyObject;
  return format?.type === 'json_object' ? anyObject : undefined;
}

function structuredHints(task: ChatTask, prompt: ReadPrompt, choice: number): SchemaHints {
  const question = messageText(lastMessage(task.request.messages, 'user') ?? { role: 'user' });
  const tokens = new SampledTokens(task.language.model, prompt.reading.copy(), task.sampling.sampler(choice), undefined);
  const sentence = textDeltas(tokens, task.language.vocabulary, { maxTokens: SENTENCE_TOKENS, stop: [], offset: 0 });
  return schemaHints(question, [...sentence].map((delta) => delta?.text ?? '').join(''));
}

async function instance(task: ChatTask, schema: Readonly<Record<string, unknown>>, hints: SchemaHints, choice: number): Promise<string> {
  return task.schemas.create(schema, task.sampling.random(choice).int(2 ** 31), hints, task.signal);
}
