import { BoundedJson } from '../../json/bounded-json.js';
import { longTextAt, textBytes } from '../../json/long-text.js';
import { isObject } from '../../wire/json-object.js';
import type { CarriedFacts, CarriedTexts } from './carried-facts.js';

/** Bytes of all that one request carries: it is read at once. */
const MAX_CARRIED = 4 * 1024 * 1024;

/**
 * Reads what a client carries back in one request. What this store's gateways have not written, or beyond what is read,
 * is left out.
 */
export class CarriedReader {
  #left = MAX_CARRIED;
  #json: BoundedJson | undefined;
  #leftOut: Set<string> | undefined;

  constructor(private readonly texts: Pick<CarriedTexts, 'payloadOf'>) {}

  /** What was left out, as `facts` was told to name it; undefined where nothing was. */
  get leftOut(): ReadonlySet<string> | undefined {
    return this.#leftOut;
  }

  /**
   * @param holder has a member that `isCarried`
   * @param what as the client is told where it is left out: `thinking.signature`
   * @returns undefined where it is left out
   */
  facts(holder: object, name: string, what: string): CarriedFacts | undefined {
    const facts = this.#read(holder, name);
    if (!facts) (this.#leftOut ??= new Set()).add(what);
    return facts;
  }

  #read(holder: object, name: string): CarriedFacts | undefined {
    const long = longTextAt(holder, name);
    // What was written needs no escapes: with some it is another text.
    if (long && long.json.reduce((sum, { length }) => sum + length, 0) !== long.bytes) return undefined;
    this.#left -= textBytes(holder, name);
    if (this.#left < 0) return undefined;
    const payload = this.texts.payloadOf(long ? long.decode() : (holder as Record<string, string>)[name]!);
    return payload && factsIn((this.#json ??= new BoundedJson()).parse(payload));
  }
}

function factsIn(value: unknown): CarriedFacts | undefined {
  if (!isObject(value)) return undefined;
  const { block, extra_content, of } = value;
  if (isObject(block)) return { block: blockOf(block) };
  return extra_content === undefined ? undefined : { extra_content, of: of === 'answer' ? of : 'call' };
}

function blockOf({ type, signature, data, wire }: Record<string, unknown>): Extract<CarriedFacts, { block: object }>['block'] {
  return {
    type: type === 'thinking' ? type : 'redacted_thinking',
    ...(typeof signature === 'string' && { signature }),
    ...(typeof data === 'string' && { data }),
    ...(wire === 'openai-responses' && { wire }),
  };
}
