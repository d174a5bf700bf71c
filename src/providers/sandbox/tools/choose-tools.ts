import type { Tool } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { ProviderError } from '../../contract/provider-error.js';
import { phrasesInARow } from '../response/schema-hints.js';
import { type Question, questionOf } from './question.js';
import { type KnownValues, valuesSaid } from './said-values.js';
import { nextRound, type Script, scriptOf } from './script.js';
import { allows, isNullable, isRequired, namePartsOf, propertiesOf } from './tool-schema.js';

/** A call of a function: as a script has it, or with what the question says of its parameters. */
export interface ChosenCall {
  readonly tool: Tool;
  /** JSON. Absent: an instance of the tool's schema with the values. */
  readonly arguments?: string;
  readonly values?: KnownValues;
}

/** Words that say nothing about what a function is for. */
const generic = new Set(
  (
    'a an and are as at by can current do find for from get give given in is it its list look make me my of on or please run search set show some ' +
    'tell that the their this to tool up use used user value what when where which who with you your function call return returns data info new'
  ).split(' '),
);

/** How many words of a description must match, when the name does not, to make a call plausible. */
const ENOUGH_DESCRIPTION_WORDS = 2;

/** How many characters of a message or a description are looked at. */
const MAX_TEXT = 4_000;

/** Functions by which an agent hands in its answer, where it must call one. */
const HANDS_IN = /final|finish|complet|submit|done|answer|report|respond/i;

/** What the tools of coding agents take. */
const OF_CODING_AGENTS = /^(?:cmd|commands?|(?:\w+_|file)?path|file|pattern)$/i;

/** The calls that the response consists of; none means that it is a text. */
export function chooseTools(
  request: ChatGenerationRequest,
  question: Question = questionOf(request.messages),
  script: Script | undefined = scriptOf(question, request.tools ?? []),
): ChosenCall[] {
  const { tools = [], tool_choice: choice = 'auto', parallel_tool_calls: parallel = true } = request;
  if (choice === 'none' || tools.length === 0) return [];
  const next: readonly ChosenCall[] = script ? nextRound(script, question.results.length) : [];
  const limit = parallel ? Infinity : 1;
  if (typeof choice === 'object') {
    const tool = namedTool(tools, choice.function.name);
    const scripted = next.filter((call) => call.tool === tool);
    return (scripted.length > 0 ? scripted : callsOf(tool, question.text)).slice(0, limit);
  }
  if (choice === 'auto' && request.messages.at(-1)?.role === 'assistant') return [];
  if (next.length > 0) return next.slice(0, limit);

  const asked = script ? [] : rank(tools, question.text).flatMap((tool) => callsOf(tool, question.text));
  if (choice === 'auto') {
    if (question.results.length > 0) return parallel ? [] : asked.slice(question.results.length).slice(0, 1);
    return asked.slice(0, limit);
  }
  const handsIn = question.results.length > 0 ? tools.find((tool) => HANDS_IN.test(tool.function.name)) : undefined;
  if (handsIn) return callsOf(handsIn, question.text).slice(0, 1);
  return (asked.length > 0 ? asked : callsOf(tools[0]!, question.text)).slice(0, limit);
}

function namedTool(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.function.name === name);
  if (!tool) throw new ProviderError('invalid_request', `tool_choice names the function '${name}', which is not among the tools`);
  return tool;
}

/** One call of a tool, or one for each of the things that the question names side by side: `in Paris and Tokyo`. */
function callsOf(tool: Tool, question: string): ChosenCall[] {
  const values = valuesSaid(question, tool);
  const open = Object.entries(propertiesOf(tool)).filter(
    ([name, schema]) =>
      isRequired(tool, name) &&
      !Object.hasOwn(values, name) &&
      allows(schema, 'string') &&
      !isNullable(schema) &&
      !Object.hasOwn(Object(schema) as object, 'enum'),
  );
  const phrases = open.length === 1 ? phrasesInARow(question) : [];
  if (phrases.length < 2) return [{ tool, values }];
  return phrases.map((phrase) => ({ tool, values: { ...values, [open[0]![0]]: phrase } }));
}

/**
 * The tools that the question asks for, the best match first. Tools whose name matches displace those whose description
 * alone does. Tools that run commands or change files are called by a script alone.
 */
function rank(tools: readonly Tool[], question: string): Tool[] {
  const asked = new Set(wordsOf(question));
  const matches = tools
    .filter((tool) => !Object.keys(propertiesOf(tool)).some((name) => OF_CODING_AGENTS.test(name)))
    .map((tool) => ({
      tool,
      name: question.includes(tool.function.name) ? Infinity : wordsOf(tool.function.name).filter((word) => asked.has(word)).length,
      description: new Set(wordsOf(tool.function.description ?? '').filter((word) => asked.has(word))).size,
    }));
  const byName = matches.filter((match) => match.name > 0);
  const found = byName.length > 0 ? byName : matches.filter((match) => match.description >= ENOUGH_DESCRIPTION_WORDS).slice(0, 1);
  return found.sort((a, b) => compare(b.name, a.name) || b.description - a.description).map((match) => match.tool);
}

const compare = (a: number, b: number) => (a === b ? 0 : a - b);

/** Content words, also those inside `snake_case` and `camelCase`, without the plural's s. */
function wordsOf(text: string): string[] {
  const words = namePartsOf(text.slice(0, MAX_TEXT));
  return words.filter((word) => word.length > 1 && !generic.has(word)).map((word) => word.replace(/(?<=\p{L}{3})s$/u, ''));
}
