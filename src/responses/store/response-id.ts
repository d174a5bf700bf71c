const PREFIX = 'resp_';
/** A UUIDv7. */
const requestId = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function responseIdOf(request: string): string {
  return PREFIX + request;
}

/** @returns the id of the request that an item belongs to; undefined for what is no id of an item of the gateway */
export function requestIdOfItem(itemId: string): string | undefined {
  return requestIdOf(PREFIX + itemId.split('_')[1]);
}

/** @returns the id of the request that made the response; undefined for what is no id of the gateway */
export function requestIdOf(responseId: string): string | undefined {
  const id = responseId.startsWith(PREFIX) ? responseId.slice(PREFIX.length) : '';
  return requestId.test(id) ? id : undefined;
}
