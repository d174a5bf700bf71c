import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { Recall } from '../language/recall.js';
import { END } from '../language/vocabulary.js';
import { type ChosenCall, chooseTools } from '../tools/choose-tools.js';
import { type Question, questionOf } from '../tools/question.js';
import { type Script, scriptOf } from '../tools/script.js';
import { toolResultText } from '../tools/tool-result.js';
import { isNullable, isRequired, propertiesOf } from '../tools/tool-schema.js';
import { isProviderError } from '../../contract/provider-error.js';
import { type SandboxResponse, type ResponseTask, outputLimit } from './response.js';
import type { ChoiceDeltas } from './choice-delta.js';
import { fitObject } from './fit-object.js';
import { describeImages, IMAGE_TOKENS, imagesOf } from './images.js';
import { promptedObject } from './prompted-object.js';
import { PromptReader, type ReadPrompt } from './prompt-reader.js';
import { reasoningDeltas, reasoningText } from './reasoning.js';
import { type SchemaHints, schemaHints } from './schema-hints.js';
import { textDeltas } from './text-deltas.js';
import { KnownTokens, type Predictor, type Ranking, SampledTokens, type TokenSource } from './token-source.js';
import { type PlannedCall, toolCallDeltas } from './tool-call-deltas.js';
import { transcript } from './transcript.js';

/** The length, in tokens, of the sentence that fills the text fields of structured outputs. */
const SENTENCE_TOKENS = 60;

type ChatTask = ResponseTask<ChatGenerationRequest>;
type Schema = Readonly<Record<string, unknown>>;

/** What all choices of a response have in common. */
interface Conversation {
  readonly prompt: ReadPrompt;
  readonly question: Question;
  readonly script?: Script;
  readonly calls: readonly ChosenCall[];
  /** What the answer has to say, where that is known: what functions returned, or what is in an image. */
  readonly known: string | undefined;
}

export async function chatResponse(task: ChatTask): Promise<SandboxResponse> {
  const { request } = task;
  const reader = new PromptReader(task.language, task.contextLength, task.pacer, task.signal);
  const ofImages = task.countsImages ? request.messages.flatMap(imagesOf).length * IMAGE_TOKENS : 0;
  reader.reserve(ofImages);
  const prompt = await reader.readConversation(transcript(request.messages));
  const question = questionOf(request.messages);
  const script = scriptOf(question, request.tools ?? []);
  const calls = chooseTools(request, question, script);
  const conversation = { prompt, question, script, calls, known: knownAnswer(request, question, script) };
  const choices: ChoiceDeltas[] = [];
  for (let choice = 0; choice < request.n; choice++) choices.push(await choiceOf(task, conversation, choice));
  return { promptTokens: prompt.tokenCount, imageTokens: ofImages, reasons: reasons(task), choices, callsTools: calls.length > 0 };
}

/** A model that reasons only where it is asked to takes an effort for the question. */
const reasons = ({ reasoning, request }: ChatTask) =>
  reasoning === 'always' || (reasoning === 'asked' && request.reasoning_effort !== undefined);

async function choiceOf(task: ChatTask, conversation: Conversation, choice: number): Promise<ChoiceDeltas> {
  const { request, language } = task;
  const { prompt, question, script, calls } = conversation;
  const limit = outputLimit(task, prompt.tokenCount);
  const thoughts = reasons(task) ? reasoningText(question, script, calls, request.reasoning_effort) : '';
  const reasoning = [...reasoningDeltas(thoughts, language.tokenizer, limit)];
  const maxTokens = limit - reasoning.reduce((sum, delta) => sum + (delta?.reasoned ?? 0), 0);
  const answer =
    calls.length > 0 ? await callTools(task, conversation, maxTokens, choice) : await writeText(task, conversation, maxTokens, choice);
  return joined(reasoning, answer);
}

function* joined(first: Iterable<ChoiceDeltas extends Iterable<infer Delta> ? Delta : never>, then: ChoiceDeltas): ChoiceDeltas {
  yield* first;
  yield* then;
}

async function callTools(task: ChatTask, conversation: Conversation, maxTokens: number, choice: number): Promise<ChoiceDeltas> {
  const calls: PlannedCall[] = [];
  const text = sentence(task, conversation.prompt, choice);
  for (const { tool, arguments: scripted, values } of conversation.calls) {
    const { name, parameters = {} } = tool.function;
    if (scripted !== undefined) {
      calls.push({ name, arguments: scripted });
      continue;
    }
    const unsaid = Object.entries(propertiesOf(tool)).filter(([key, schema]) => isRequired(tool, key) && isNullable(schema));
    const nulls = Object.fromEntries(unsaid.map(([key]) => [key, null]));
    const hints = { ...schemaHints(conversation.question.text, text), values: { ...nulls, ...values }, sparse: true };
    calls.push({ name, arguments: await instance(task, { type: 'object', ...parameters }, hints, choice) });
  }
  return toolCallDeltas(calls, task.language.tokenizer, maxTokens);
}

async function writeText(task: ChatTask, conversation: Conversation, maxTokens: number, choice: number): Promise<ChoiceDeltas> {
  const limits = { maxTokens, stop: task.request.stop ?? [], offset: 0 };
  return textDeltas(await tokenSource(task, conversation, maxTokens, choice), task.language.vocabulary, limits);
}

async function tokenSource(task: ChatTask, conversation: Conversation, maxTokens: number, choice: number): Promise<TokenSource> {
  const { request, language } = task;
  const ranking: Ranking = request.logprobs === true ? (request.top_logprobs ?? 0) : undefined;
  const reading = conversation.prompt.reading.copy();
  const known = await knownText(task, conversation, maxTokens, choice);
  return known === undefined
    ? new SampledTokens(predictorOf(task, conversation), language.vocabulary, reading, task.sampling.sampler(choice), ranking)
    : new KnownTokens(language.model, reading, language.tokenizer.encode(known), ranking);
}

/** The model goes on freely with what the assistant has begun, and recalls an answer otherwise. */
function predictorOf({ request, language: { model, tokenizer, answers } }: ChatTask, { question }: Conversation): Predictor {
  if (request.messages.at(-1)?.role === 'assistant') return model;
  return new Recall(model, [...tokenizer.encode(answers.to(question.text)), END]);
}

/** What the model says instead of what comes to its mind. Undefined where it writes freely. */
function knownAnswer({ messages }: ChatGenerationRequest, question: Question, script?: Script): string | undefined {
  if (messages.at(-1)?.role === 'assistant') return undefined;
  const last = question.results.at(-1);
  if (last) return script?.answer ?? toolResultText(messages.slice(0, messages.lastIndexOf(last) + 1));
  const images = imagesOf(question.message);
  return images.length > 0 ? describeImages(images) : undefined;
}

/** The text of a choice whose form or content is given. Undefined where the model writes freely. */
async function knownText(task: ChatTask, conversation: Conversation, maxTokens: number, choice: number): Promise<string | undefined> {
  const { response_format: format, messages } = task.request;
  const { question, known } = conversation;
  if (format?.type !== 'json_object' && format?.type !== 'json_schema') return known;
  const hints = schemaHints(question.text, known ?? sentence(task, conversation.prompt, choice));
  if (format.type === 'json_schema') return instance(task, format.json_schema.schema ?? anyObject, hints, choice);
  const json = await objectAskedFor(task, promptedObject(question.text, messages), hints, choice);
  return fitObject(json, (shorter) => task.language.tokenizer.encode(shorter).length <= maxTokens);
}

/** The schema for `json_object` where nothing more is asked for than an object: one with a text in it. */
const anyObject = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'], additionalProperties: false };

/** An object as the prompt describes it, as far as that can be understood. */
async function objectAskedFor(task: ChatTask, schema: Schema | undefined, hints: SchemaHints, choice: number): Promise<string> {
  if (schema) {
    try {
      return await instance(task, schema, hints, choice);
    } catch (error) {
      if (!isProviderError(error) || error.kind !== 'invalid_request') throw error;
    }
  }
  return instance(task, anyObject, hints, choice);
}

/** What fills the fields of a structured output that want a whole text. */
function sentence({ language, sampling }: ChatTask, prompt: ReadPrompt, choice: number): string {
  const tokens = new SampledTokens(language.model, language.vocabulary, prompt.reading.copy(), sampling.sampler(choice), undefined);
  const deltas = textDeltas(tokens, language.vocabulary, { maxTokens: SENTENCE_TOKENS, stop: [], offset: 0 });
  return [...deltas].map((delta) => delta?.text ?? '').join('');
}

async function instance(task: ChatTask, schema: Schema, hints: SchemaHints, choice: number): Promise<string> {
  return task.schemas.create(schema, task.sampling.random(choice).int(2 ** 31), hints, task.signal);
}
