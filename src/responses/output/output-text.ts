import type { TokenLogprob } from '../../wire/chat-completion.js';
import { isObject } from '../../wire/json-object.js';
import type { ResponseLogprob, UrlCitation } from '../../wire/response.js';

export function logprobOf({ token, logprob, bytes, top_logprobs }: TokenLogprob): ResponseLogprob {
  const top = top_logprobs.map((one) => ({ token: one.token, logprob: one.logprob, bytes: one.bytes ?? [] }));
  return { token, logprob, bytes: bytes ?? [], top_logprobs: top };
}

/** A source as chat completions name it; undefined for an annotation of another kind. */
export function citationOf(annotation: unknown): UrlCitation | undefined {
  const cited = isObject(annotation) && annotation['type'] === 'url_citation' ? annotation['url_citation'] : undefined;
  if (!isObject(cited) || typeof cited['url'] !== 'string') return undefined;
  const { url, title, start_index, end_index } = cited;
  return {
    type: 'url_citation',
    start_index: Number.isSafeInteger(start_index) ? (start_index as number) : 0,
    end_index: Number.isSafeInteger(end_index) ? (end_index as number) : 0,
    title: typeof title === 'string' ? title : '',
    url,
  };
}
