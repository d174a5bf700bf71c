import type { Exchange } from '../http/requests/request-context.js';

const SERVED_BY = 'x-switchyard-served-by';
const DROPPED = 'x-switchyard-dropped-parameters';

/** Who answered: the provider and its own name of the model. */
export function setServedBy({ responseHeaders }: Exchange, provider: string, upstreamModel: string): void {
  responseHeaders[SERVED_BY] = headerText(`${provider}/${upstreamModel}`);
}

/** Names a dropped parameter in the response's head, once. */
export function addDropped({ responseHeaders, record }: Exchange, parameter: string): void {
  record?.dropped.add(parameter);
  const named = responseHeaders[DROPPED]?.split(', ') ?? [];
  if (!named.includes(parameter)) responseHeaders[DROPPED] = headerText([...named, parameter].join(', '));
}

/** Those that say how an answer came about. */
export function headersOfAnswer({ responseHeaders }: Exchange): Record<string, string> {
  return Object.fromEntries(Object.entries(responseHeaders).filter(([name]) => name === SERVED_BY || name === DROPPED));
}

/** Header values are ASCII without controls; a name from elsewhere may be neither. */
function headerText(text: string): string {
  return text.slice(0, 1000).replace(/[^\x20-\x7e]/g, '?');
}
