import type { Tool } from '../../../wire/chat-completion.js';
import type { ChatGenerationRequest } from '../../../wire/generation.js';
import { ProviderError } from '../../provider-error.js';
import { lastMessage, messageText } from './transcript.js';

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

/** The functions that the response calls; none means that it is a text. */
export function chooseTools(request: ChatGenerationRequest): Tool[] {
  const { tools = [], tool_choice: choice = 'auto' } = request;
  if (choice === 'none' || tools.length === 0) return [];
  if (typeof choice === 'object') return [namedTool(tools, choice.function.name)];

  const question = messageText(lastMessage(request.messages, 'user') ?? { role: 'user' });
  const asked = rank(tools, question);
  const chosen = choice === 'required' && asked.length === 0 ? tools.slice(0, 1) : asked;
  if (choice === 'auto' && request.messages.at(-1)?.role !== 'user') return [];
  return request.parallel_tool_calls === false ? chosen.slice(0, 1) : chosen;
}

function namedTool(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.function.name === name);
  if (!tool) throw new ProviderError('invalid_request', `tool_choice names the function '${name}', which is not among the tools`);
  return tool;
}

/**
 * The tools that the question asks for, the best match first. Tools whose name matches displace those whose description
 * alone does.
 */
function rank(tools: readonly Tool[], question: string): Tool[] {
  const asked = new Set(wordsOf(question));
  const matches = tools.map((tool) => ({
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
  const words =
    text
      .slice(0, MAX_TEXT)
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length > 1 && !generic.has(word)).map((word) => word.replace(/(?<=\p{L}{3})s$/u, ''));
}
