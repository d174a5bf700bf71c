import type { Delta } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import { isText } from '../protocols/is-text.js';
import type { Citation } from './wire.js';

/**
 * A citation for the client: `citations` as Cohere tells it, and as `annotations` of the wire format its sources that
 * have an address. The wire format has no annotation of other sources.
 * @param offset UTF-16 code units of the answer's text before the block of content that the citation is about
 */
export function citationDelta(citation: Citation, offset: number): Delta {
  const annotations = ofText(citation) ? (citation.sources ?? []).flatMap(urlOf).map((source) => annotation(citation, source, offset)) : [];
  return { citations: [citation], ...(annotations.length > 0 && { annotations }) };
}

/** Whether it is about the text of the answer, and not about thoughts or a plan. */
function ofText({ type, start, end }: Citation): boolean {
  return (type == null || type === 'TEXT_CONTENT') && typeof start === 'number' && typeof end === 'number';
}

interface Address {
  readonly url: string;
  readonly title: string;
}

function urlOf(source: unknown): Address[] {
  if (!isObject(source)) return [];
  const { document, tool_output } = source;
  const told = isObject(document) ? document : isObject(tool_output) ? tool_output : {};
  const { url, title } = told;
  return isText(url) && /^https?:/i.test(url) ? [{ url, title: isText(title) ? title : '' }] : [];
}

function annotation({ start, end }: Citation, address: Address, offset: number): object {
  const place = { start_index: (start as number) + offset, end_index: (end as number) + offset };
  return { type: 'url_citation', url_citation: { ...place, ...address } };
}
