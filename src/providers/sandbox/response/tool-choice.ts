import type { Tool } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { ProviderError } from '../../provider-error.js';
import { valuesOfStep, valuesSaid } from '../agent/known-values.js';
import { type Plan, type PlannedTool, planOf } from '../agent/plan.js';
import { type Question, questionOf } from '../agent/question.js';
import { kindOf } from '../agent/tool-kind.js';
import { allows, isNullable, isRequired, namePartsOf, propertiesOf } from '../agent/tool-schema.js';
import { phrasesInARow } from './schema-hints.js';

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

/** The calls that the response consists of; none means that it is a text. */
export function chooseTools(
  request: ChatGenerationRequest,
  question: Question = questionOf(request.messages),
  plan: Plan = planOf(question, request.tools ?? [], request.messages),
): PlannedTool[] {
  const { tools = [], tool_choice: choice = 'auto', parallel_tool_calls: parallel = true } = request;
  if (choice === 'none' || tools.length === 0) return [];
  const next = nextOf(plan.rounds, question.results.length);
  const limit = parallel ? Infinity : 1;
  if (typeof choice === 'object') {
    const tool = namedTool(tools, choice.function.name);
    const planned = next.filter((call) => call.tool === tool);
    return (planned.length > 0 ? planned : callsOf(tool, question.text)).slice(0, limit);
  }
  if (choice === 'auto' && request.messages.at(-1)?.role === 'assistant') return [];
  if (next.length > 0) return next.slice(0, limit);

  const asked = plan.rounds.length > 0 ? [] : rank(tools, question.text).flatMap((tool) => callsOf(tool, question.text));
  if (choice === 'auto') {
    if (question.results.length > 0) return parallel ? [] : asked.slice(question.results.length).slice(0, 1);
    return asked.slice(0, limit);
  }
  const handsIn = question.results.length > 0 ? tools.find((tool) => HANDS_IN.test(tool.function.name)) : undefined;
  if (handsIn) return callsOf(handsIn, question.text).slice(0, 1);
  return (asked.length > 0 ? asked : callsOf(tools[0]!, question.text)).slice(0, limit);
}

/** What is left of the first round that is not done. */
function nextOf(rounds: Plan['rounds'], done: number): PlannedTool[] {
  let before = 0;
  for (const round of rounds) {
    if (done < before + round.length) return round.slice(done - before);
    before += round.length;
  }
  return [];
}

function namedTool(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.function.name === name);
  if (!tool) throw new ProviderError('invalid_request', `tool_choice names the function '${name}', which is not among the tools`);
  return tool;
}

/** One call of a tool, or one for each of the things that the question names side by side: `in Paris and Tokyo`. */
function callsOf(tool: Tool, question: string): PlannedTool[] {
  // A shell that must be called and has nothing to do is asked something that changes nothing.
  if (kindOf(tool) === 'shell') {
    const step = { kind: 'run', command: 'pwd', said: 'Say where we are', later: false } as const;
    return [{ tool, said: question, values: valuesOfStep(step, tool, 'shell', undefined) }];
  }
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
  if (phrases.length < 2) return [{ tool, said: question, values }];
  return phrases.map((phrase) => ({ tool, said: question, values: { ...values, [open[0]![0]]: phrase } }));
}

/**
 * The tools that the question asks for, the best match first. Tools whose name matches displace those whose description
 * alone does. Beside the tools of a coding agent, whose names are everyday words, another one needs more than a word.
 */
function rank(tools: readonly Tool[], question: string): Tool[] {
  const asked = new Set(wordsOf(question));
  const forCoding = tools.filter((tool) => kindOf(tool) !== undefined);
  const matches = tools
    .filter((tool) => forCoding.length < 2 || (!forCoding.includes(tool) && namePartsOf(tool.function.name).length > 1))
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
