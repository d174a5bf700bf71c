import type { ToolCallDelta } from '../../wire/chat-completion.js';
import type { CustomToolCallDelta } from '../../wire/chat-completion.js';
import { INPUT } from '../../wire/custom-tool.js';
import { ownOf } from '../../wire/own-members.js';

const beginning = new RegExp(`^\\s*\\{\\s*"${INPUT}"\\s*:\\s*"`);

/** What can be decoded for certain at the beginning of a JSON string: an escape may be cut. */
const decodable = /^(?:[^"\\]|\\(?:u[\da-fA-F]{4}|[^u]))+/;

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

interface OpenCall {
  readonly choice: number;
  readonly index: number;
  /** Arguments that have come and were not passed on. */
  pending: string;
  state: 'before' | 'within' | 'behind';
}

/**
 * Translates calls of the functions that stand for custom tools back to calls of these, delta by delta. An answer that
 * is not streamed is the case of one delta.
 */
export class CustomCalls {
  readonly #open: OpenCall[] = [];

  /** @param names of the custom tools of the request */
  constructor(private readonly names: ReadonlySet<string>) {}

  /** @returns undefined for a call of a function */
  read(choice: number, { index, id, function: called }: ToolCallDelta): CustomToolCallDelta | undefined {
    const known = this.#open.find((call) => call.index === index && call.choice === choice);
    const text = called?.arguments ?? '';
    if (known) return { index, custom: { input: this.#input(known, text) } };
    const name = called?.name;
    if (name === undefined || !this.names.has(name)) return undefined;
    const call: OpenCall = { choice, index, pending: '', state: 'before' };
    this.#open.push(call);
    return { index, ...(id !== undefined && { id }), type: 'custom', custom: { name, input: this.#input(call, text) } };
  }

  /**
   * The choice has ended.
   * @returns the arguments of calls that do not have the form which was asked for, as they are
   */
  end(choice: number): CustomToolCallDelta[] {
    const left = this.#open.filter((call) => call.choice === choice && call.state === 'before' && call.pending !== '');
    return left.map(({ index, pending }) => ({ index, custom: { input: pending } }));
  }

  #input(call: OpenCall, text: string): string {
    if (call.state === 'behind') return '';
    call.pending += text;
    if (call.state === 'before') {
      const begun = beginning.exec(call.pending);
      if (!begun) return '';
      call.state = 'within';
      call.pending = call.pending.slice(begun[0].length);
    }
    const whole = decodable.exec(call.pending)?.[0] ?? '';
    call.pending = call.pending.slice(whole.length);
    if (call.pending.startsWith('"')) call.state = 'behind';
    return decoded(whole);
  }
}

function decoded(literal: string): string {
  if (!literal.includes('\\')) return literal;
  return literal.replaceAll(/\\(?:u(.{4})|(.))/gs, (_all, code: string | undefined, letter: string) =>
    code === undefined ? (ownOf(escapes, letter) ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
