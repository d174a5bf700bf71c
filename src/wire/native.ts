import type { JsonObject } from './json-object.js';

/**
 * The formats in which a provider may be asked beside chat completions: Anthropic's Messages (whose signatures Bedrock
 * and Vertex give and take too), and OpenAI's Responses.
 */
export type Wire = 'anthropic-messages' | 'openai-responses';

/**
 * The client's request in its own format, for a provider of the same one. A protocol of that wire may send its members
 * as they are; `model`, `stream` and the output limit are always those of the canonical request. Every other protocol
 * ignores it.
 *
 * The endpoint puts nothing into it that the canonical request does not hold as well, so that checks, holds and prices
 * are the same with and without it. Where the gateway changes the canonical request for a provider (it leaves out a
 * parameter, or marks a prompt for the cache), that provider is asked without it, unless it has been changed likewise
 * (inference/fitting/fit-native.ts).
 */
export interface NativeRequest {
  readonly wire: Wire;
  /** The members that the endpoint allows, with the values that it has checked. */
  readonly body: JsonObject;
  /**
   * Members of the canonical request that the body does not have, because providers differ in whether they take them: a
   * protocol reads them there. Absent: the body has all.
   */
  readonly apart?: ReadonlySet<string>;
  /**
   * Set where the body has what not every provider of the wire reads: settings, items of hosted tools, and tools that are
   * told later. Only one that does (`ProviderModel.nativeItems`) is asked with the body; any other is asked without it,
   * and without these: the names by which they are reported.
   */
  readonly beyond?: readonly string[];
  /** Set where that is more than settings: a provider without hosted tools is asked without the body. */
  readonly items?: boolean;
  /**
   * The hosted tools that items are of, as their names begin, by the types of the items: a vendor that has none of such a
   * tool is asked without the items, and these are reported; or without the body, where the canonical request has the
   * items in words.
   */
  readonly tools?: ReadonlyMap<unknown, string>;
  /** What the canonical request has no word for, as it is reported where the body is not sent. */
  readonly bodyOnly?: readonly string[];
  /** Whether texts of the body cite what they say, for which the canonical request has no word. */
  readonly cited?: boolean;
  /** What the body leaves out of the canonical request, as it is reported. */
  readonly left?: readonly string[];
  /** The name of what is left out so although the answer is to it: without it, the request is refused. */
  readonly needed?: string;
  /** Headers of the format that the endpoint allows (`anthropic-beta`), in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}
