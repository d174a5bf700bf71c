import { isObject } from '../../wire/json-object.js';
import { isText } from './is-text.js';

/** The content of an error body, in whichever of the known shapes it came. */
export interface VendorError {
  readonly message: string;
  /** `code`, `type` and `error_type` of the body in lower case, as far as they are words. */
  readonly words: readonly string[];
  /** An HTTP status inside the body, as gateways give it in a stream. */
  readonly status?: number;
}

/**
 * Reads `{error: {message, type, code}}`, `{error: "..."}`, `{message, type, code}`, `{detail: "..." | [{msg}]}`,
 * `[{error: ...}]` and plain text.
 * @returns undefined where nothing says that this is an error.
 */
export function vendorError(body: unknown): VendorError | undefined {
  if (Array.isArray(body)) return vendorError(body[0]);
  if (!isObject(body)) return undefined;
  const { error } = body;
  if (isText(error)) return { message: error, words: words(body['code'], body['type'], body['error_type']), status: statusOf(body) };
  if (isObject(error) && Object.keys(error).length > 0) {
    const message = firstText(error['message'], error['detail'], JSON.stringify(error));
    return { message, words: words(error['code'], error['type'], error['error_type'], error['status']), status: statusOf(error) };
  }
  const message = firstText(body['message'], detail(body['detail']));
  return message ? { message, words: words(body['code'], body['type'], body['error_type']), status: statusOf(body) } : undefined;
}

function detail(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((entry: unknown) => (isObject(entry) && isText(entry['msg']) ? entry['msg'] : '')).join('; ');
}

function firstText(...values: unknown[]): string {
  return values.find(isText) ?? '';
}

function words(...values: unknown[]): string[] {
  return values.filter(isText).map((word) => word.toLowerCase());
}

function statusOf(error: Record<string, unknown>): number | undefined {
  for (const value of [error['code'], error['status'], error['status_code']]) {
    const status = Number(value);
    if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  return undefined;
}
