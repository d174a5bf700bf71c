import type { ReadMembers } from '../../json/unread-members.js';
import type { Role } from '../../wire/chat-completion.js';
import type { Modality } from '../../wire/media-part.js';

/** What a name or an id may be at a vendor. */
export interface NameRule {
  /** Matches a whole one. */
  readonly pattern: RegExp;
  /** Characters at most. */
  readonly length: number;
}

/**
 * What a vendor takes of a chat, as data. An absent member means that no limit is known: the value goes on as it came.
 * The gateway applies the rules to the canonical request before a credit is held (inference/fitting). What a rule
 * changes keeps its meaning, or is reported as dropped; what a vendor cannot take at all is refused.
 */
export interface RequestRules {
  /** There is no role `developer`: its messages become those of `system`. */
  readonly developer?: false;
  /** All system messages are joined to one at the beginning, which is of the user where there is no such role. */
  readonly system?: 'one' | 'user';
  /** A message of the assistant says something or calls; others are left out. */
  readonly silentAssistant?: false;
  /** Neighbouring messages of the same role, user or assistant, are joined. */
  readonly alternate?: true;
  /** Text of a user message that is put first where a conversation has no user message before the assistant's. */
  readonly userFirst?: string;
  /** The same, for a conversation without a message of the user. */
  readonly someUser?: string;
  /** A message of the assistant has one call at most: others become messages of their own, each before its result. */
  readonly oneCall?: true;
  /** Text of a message of the assistant that is put between a tool's result and the next message of the user. */
  readonly behindResult?: string;
  /**
   * A conversation that ends with a message of the assistant: refused, marked with `prefix: true`, or continued where
   * its text ends without white space.
   */
  readonly assistantLast?: 'refused' | 'prefix' | 'trimmed';
  /** Ids of calls; others become a keyed hash, which is the same in each turn. */
  readonly callIds?: NameRule;
  /** Names of functions, and of the schema of an answer; others are changed, and changed back in answers. */
  readonly functionNames?: NameRule;
  /** Names of messages; others are changed. False: they are left out. */
  readonly messageNames?: NameRule | false;
  /**
   * Members of messages beside those that every provider reads or has renamed (`role`, `content`, calls and results,
   * reasoning, media, marks of caching); others are left out. A refusal that is not among them becomes the content.
   */
  readonly messageFields?: readonly string[];
  /** What it reads of messages, tools and the response format; other members are reported. Absent: all goes on. */
  readonly reads?: ReadMembers;
  /** What stands in the place of a message's content that is null or absent. */
  readonly noContent?: string;
  /** Media of a tool's result follow in a message of the user, before messages are ordered. */
  readonly resultMedia?: 'behind';
  /**
   * What the addresses and data of media in tools' results begin with, by what they hold: what is not taken, and each
   * kind without a pattern, is told in words and reported. Absent: all are taken.
   */
  readonly media?: Readonly<Partial<Record<Modality, RegExp>>>;
  /** It knows the detail `original` of images. Absent: that becomes `high`, and is reported. */
  readonly originalImages?: true;
  /** Roles whose content is one text where it is text alone. */
  readonly plainText?: readonly Role[];
  /** Arguments of calls in the conversation have to be an object. */
  readonly argumentsObject?: true;
  /** A file as data has to have a name. */
  readonly fileNames?: true;
  /** The member of a file in which the vendor reads an address, which clients write as `file_url`. */
  readonly fileUrls?: 'file_data';
  /** The part that a file becomes; absent: it is one of the type `file`. */
  readonly files?: FileRule;
  /** Settings of the native format that are not taken: names of `NativeRequest.beyond`. */
  readonly withoutSettings?: readonly string[];
  /** Values of `reasoning_effort`, shallow to deep; others become the nearest one and are reported. */
  readonly efforts?: readonly string[];
  /**
   * What `thinking` may be: `enabled` with a budget of tokens, which `reasoning_effort` becomes; `adaptive`; or both. A
   * budget asks for signed thinking before the calls that the conversation ends with. What is not taken becomes the
   * other one, or is left out, and is reported.
   */
  readonly thinking?: 'budget' | 'adaptive' | 'both';
  /** `temperature` at most; a higher one is lowered and reported. */
  readonly temperature?: number;
  /** Types of `response_format`; others are refused. */
  readonly formats?: readonly ('text' | 'json_object' | 'json_schema')[];
  /** What the JSON Schema of a function's parameters has to be. */
  readonly toolSchema?: ToolSchemaRule;
}

/** A part `{ type, [type]: data, [name]: filename }`. */
interface FileRule {
  readonly type: string;
  readonly name: string;
  /** The data is `{ url }` with base64 alone, and no `data:` URL. */
  readonly bare?: true;
}

export interface ToolSchemaRule {
  /** There have to be parameters, also of a function that has none. */
  readonly required?: true;
  /** Its type is `object`. */
  readonly rootObject?: true;
  /** Its root has no `anyOf`, `oneOf`, `allOf`, `not`, `enum` or `const`: they move to the description and are reported. */
  readonly noRootUnions?: true;
  /** Properties are objects, and arrays have `items`. */
  readonly objectProperties?: true;
}
