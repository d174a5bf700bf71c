import type { LanguageModelV3Source, LanguageModelV4Citation, LanguageModelV4Source } from '@ai-sdk/provider';
import { isText } from '../protocols/is-text.js';

/** A source as the wire format annotates a text with it. */
interface Annotation {
  readonly type: 'url_citation';
  readonly url_citation: { readonly url: string; readonly title?: string; readonly start_index?: number; readonly end_index?: number };
}

/** @returns undefined for a document, which has no address that a client could open */
export function annotationOf(
  source: LanguageModelV4Source | LanguageModelV3Source,
  at: Partial<LanguageModelV4Citation> = {},
): Annotation | undefined {
  if (source.sourceType !== 'url') return undefined;
  const { url, title } = source;
  const { startIndex, endIndex } = at;
  return {
    type: 'url_citation',
    url_citation: {
      url,
      ...(isText(title) && { title }),
      ...(startIndex !== undefined && { start_index: startIndex }),
      ...(endIndex !== undefined && { end_index: endIndex }),
    },
  };
}

export function annotationsOf(citations: readonly LanguageModelV4Citation[] = []): Annotation[] {
  return citations.map((citation) => annotationOf(citation.source, citation)).filter((annotation) => annotation !== undefined);
}
