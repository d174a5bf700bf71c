import type { Message, Tool } from '../../../wire/chat-completion.js';
import { messageText } from '../response/transcript.js';
import { type KnownValues, valuesOfStep } from './known-values.js';
import type { Question } from './question.js';
import { fileContent } from './file-content.js';
import { type Step, type StepKind, stepsOf } from './steps.js';
import { kindOf, type ToolKind } from './tool-kind.js';

/** A call of a function that a question asks for. */
export interface PlannedTool {
  readonly tool: Tool;
  /** The words of the user that ask for it. */
  readonly said: string;
  readonly values: KnownValues;
}

/** What a coding agent does for a question, in rounds: the calls of a round do not need each other's results. */
export interface Plan {
  readonly rounds: readonly (readonly PlannedTool[])[];
  /** What was asked for that no function can do. */
  readonly impossible: readonly string[];
}

/** Which tools can do a step, the best one first. A step of `rewrite` is done by reading a file and writing it anew. */
const tools: Readonly<Record<StepKind, readonly ToolKind[]>> = {
  list: ['list', 'shell'],
  read: ['read', 'shell'],
  search: ['search', 'shell'],
  edit: ['edit', 'shell'],
  append: ['shell'],
  write: ['write', 'shell'],
  run: ['shell'],
};

type Kinds = ReadonlyMap<ToolKind, Tool>;

/** Plans what a question asks for with files and a shell; the same question has the same plan at each of its turns. */
export function planOf({ text, results }: Question, offered: readonly Tool[], messages: readonly Message[]): Plan {
  const kinds = new Map<ToolKind, Tool>();
  for (const tool of offered) {
    const kind = kindOf(tool);
    if (kind && !kinds.has(kind)) kinds.set(kind, tool);
  }
  return kinds.size === 0 ? { rounds: [], impossible: [] } : new Planner(kinds, results, workingDirectory(messages)).plan(stepsOf(text));
}

class Planner {
  readonly #rounds: PlannedTool[][] = [];
  readonly #impossible: string[] = [];
  /** The files that are read, by the number of the call that does it. */
  readonly #read = new Map<string, number>();
  /** What files hold that were written anew. */
  readonly #contents = new Map<string, string>();
  #count = 0;
  /** Whether the next call may stand beside the last one. */
  #open = false;

  constructor(
    private readonly kinds: Kinds,
    private readonly results: readonly Message[],
    private readonly directory: string | undefined,
  ) {}

  plan(steps: readonly Step[]): Plan {
    for (const step of steps) {
      if (step.later) this.#open = false;
      const kind = tools[step.kind].find((one) => this.kinds.has(one));
      if (kind) this.#step(step, kind);
      else if (!this.#rewrite(step)) this.#impossible.push(step.said);
    }
    return { rounds: this.#rounds, impossible: this.#impossible };
  }

  #step(step: Step, kind: ToolKind): void {
    // Coding agents refuse to edit a file that was not read before.
    if (step.kind === 'edit' && kind === 'edit') this.#readFirst(step);
    if (step.kind === 'read') this.#read.set(step.file, this.#count);
    this.#call(step, kind, ['list', 'read', 'search'].includes(step.kind));
  }

  /** @returns whether the tools can do it */
  #rewrite(step: Step): boolean {
    if ((step.kind !== 'edit' && step.kind !== 'append') || !this.kinds.has('read') || !this.kinds.has('write')) return false;
    this.#readFirst(step);
    const before = this.#contents.get(step.file) ?? this.#contentRead(step.file);
    const text =
      before === undefined ? '' : step.kind === 'edit' ? before.replaceAll(step.from, () => step.to) : appended(before, step.text);
    if (text === before) this.#impossible.push(step.said);
    else this.#call({ ...step, kind: 'write', text }, 'write', false);
    if (before !== undefined) this.#contents.set(step.file, text);
    return true;
  }

  #contentRead(file: string): string | undefined {
    const result = this.results[this.#read.get(file)!];
    return result && fileContent(messageText(result));
  }

  #readFirst({ file, later }: Extract<Step, { file: string }>): void {
    if (this.#read.has(file) || !this.kinds.has('read')) return;
    this.#read.set(file, this.#count);
    this.#call({ kind: 'read', file, said: `Read ${file}`, later }, 'read', true);
  }

  #call(step: Step, kind: ToolKind, changesNothing: boolean): void {
    const tool = this.kinds.get(kind)!;
    const call: PlannedTool = { tool, said: step.said, values: valuesOfStep(step, tool, kind, this.directory) };
    if (this.#open && changesNothing) this.#rounds.at(-1)!.push(call);
    else this.#rounds.push([call]);
    this.#open = changesNothing;
    this.#count++;
  }
}

const appended = (before: string, text: string) => `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${text}\n`;

/** How many characters of a message, and of all, are searched for the directory that the agent works in. */
const MAX_SEARCHED = 65_536;
const MAX_SEARCHED_OF_ALL = 262_144;
const WORKING_DIRECTORY = /(?:working directory|current directory|cwd)\b[^/\n]{0,40}?(\/[^\s<>"'`,;]+)/i;

function workingDirectory(messages: readonly Message[]): string | undefined {
  let left = MAX_SEARCHED_OF_ALL;
  for (const message of messages) {
    if (message.role === 'assistant' || message.role === 'tool') continue;
    if (left <= 0) break;
    const text = messageText(message).slice(0, Math.min(MAX_SEARCHED, left));
    left -= text.length;
    const found = WORKING_DIRECTORY.exec(text)?.[1];
    if (found !== undefined) return found.replace(/\.$/, '');
  }
  return undefined;
}
