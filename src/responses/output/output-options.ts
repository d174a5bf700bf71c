import type { CarriedTexts } from '../../inference/carried/carried-facts.js';
import type { CustomCalls } from '../../inference/chunks/custom-calls.js';

export interface OutputOptions {
  /** Ends the ids of the items. */
  readonly requestId: string;
  /** Where reasoning is shown as the summary that was asked for, and not as its text. */
  readonly summary: boolean;
  /** Whether reasoning items have what a later request needs to go on with them. */
  readonly encrypted: boolean;
  /** Writes that for vendors of other formats. */
  readonly carried: CarriedTexts;
  readonly logprobs: boolean;
  /** The names of tools of namespaces, by their one name. */
  readonly names: ReadonlyMap<string, { readonly name: string; readonly namespace: string }>;
  /** Whether a call of the function that stands for a search of tools is one of that search. */
  readonly searches?: boolean;
  /** Translates calls of the functions that stand for custom tools. */
  readonly custom: CustomCalls | undefined;
}
