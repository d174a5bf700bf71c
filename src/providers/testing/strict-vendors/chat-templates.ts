import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Template } from '@huggingface/jinja';
import type { Reply } from '../loopback-upstream.js';
import { isObject, type Members } from './rule-words.js';

/** The template of a model that no template is named for: of those in wide use it refuses most. */
const USUAL = 'Qwen3.5-4B';

/** What a template says where it raises an exception. */
class Raised extends Error {}

interface ChatTemplate {
  readonly template: Template;
  /** Whether it reads content as parts: vLLM then makes parts of texts too. */
  readonly readsParts: boolean;
  /** Whether it knows `developer`. */
  readonly readsDeveloper: boolean;
}

const templates = new Map<string, Promise<ChatTemplate>>();

/** Names of the templates. */
export const templateNames = (root: string): string[] =>
  readdirSync(join(root, 'chat-templates'))
    .filter((name) => name.endsWith('.jinja'))
    .map((name) => basename(name, '.jinja'));

/** Loaded where something is rendered: most specs ask no server that renders. */
function templateOf(root: string, model: string): Promise<ChatTemplate> {
  const name = templateNames(root).find((one) => model.toLowerCase().includes(one.toLowerCase())) ?? USUAL;
  const known = templates.get(name) ?? readTemplate(join(root, 'chat-templates', `${name}.jinja`));
  templates.set(name, known);
  return known;
}

async function readTemplate(path: string): Promise<ChatTemplate> {
  const { Template: Jinja } = await import('@huggingface/jinja');
  const text = readFileSync(path, 'utf8');
  return {
    template: new Jinja(text.replaceAll('raise_exception(', 'raised(')),
    readsParts: /for \w+ in message(\.content|\['content'\]|\["content"\])/.test(text),
    readsDeveloper: text.includes('developer'),
  };
}

/** How a server answers where the template raises. */
const answers: Readonly<Record<string, (why: string) => Reply>> = {
  llamacpp: jinjaException,
  lmstudio: (why) => refused(400, { error: `Error rendering prompt with jinja template: "${why}"` }),
  // It runs llama.cpp's server.
  ollama: (why) => refused(500, { error: jinjaException(why).body }),
};

function refused(status: number, body: object): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function jinjaException(why: string): Reply {
  const message = `While executing CallExpression\nError: Jinja Exception: ${why}`;
  return refused(500, { error: { code: 500, message, type: 'server_error' } });
}

/** @returns what a server answers whose template raises; undefined where it renders the chat */
export async function templateRefusal(root: string, server: string, body: Members): Promise<Reply | undefined> {
  try {
    await prompt(root, server, body);
    return undefined;
  } catch (error) {
    if (!(error instanceof Raised)) throw error;
    const { message } = error;
    return (
      answers[server] ?? ((why) => refused(400, { error: { message: `${why} ${why}`, type: 'BadRequestError', param: null, code: 400 } }))
    )(message);
  }
}

/**
 * What a server makes of a chat with the template of the model, whose name stands in the model's.
 * @param server by the name of its folder
 * @returns the prompt; undefined where the renderer cannot do what the servers' own can
 * @throws Raised
 */
export async function prompt(
  root: string,
  server: string,
  { model, messages, tools, chat_template_kwargs: more }: Members,
): Promise<string | undefined> {
  const { template, readsParts, readsDeveloper } = await templateOf(root, String(model));
  const parts = server === 'vllm' && readsParts;
  const developer = server !== 'llamacpp' || readsDeveloper;
  try {
    return template.render({
      messages: (messages as readonly Members[]).map((message) => readMessage(message, parts, developer)),
      ...(Array.isArray(tools) && tools.length > 0 && { tools: tools as unknown }),
      add_generation_prompt: true,
      bos_token: '<s>',
      eos_token: '</s>',
      raised(why: string): never {
        throw new Raised(why);
      },
      ...(isObject(more) && more),
    });
  } catch (error) {
    if (error instanceof Raised) throw error;
    return undefined;
  }
}

/** A message as the template gets it. */
function readMessage({ content, tool_calls: calls, ...message }: Members, parts: boolean, developer: boolean): Members {
  const read: Record<string, unknown> = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null));
  const all: readonly Members[] = Array.isArray(content) ? content : content ? [{ type: 'text', text: content }] : [];
  const texts = all.filter(({ type }) => type === 'text');
  if (parts || texts.length < all.length)
    read['content'] = all.map((part) => (part['type'] === 'text' ? part : { type: String(part['type']).replace(/_url$|^input_/, '') }));
  else read['content'] = texts.map(({ text }) => text).join('\n');
  if (read['role'] === 'developer' && !developer) read['role'] = 'system';
  if (Array.isArray(calls) && calls.length > 0) read['tool_calls'] = calls.map(readCall);
  return read;
}

function readCall(call: { readonly function: Members }): Members {
  const { arguments: given } = call.function;
  return { ...call, function: { ...call.function, arguments: typeof given === 'string' ? (JSON.parse(given || '{}') as unknown) : given } };
}
