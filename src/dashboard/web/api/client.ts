import type { components, paths } from 'administration-api';
import createClient from 'openapi-fetch';
import { failureOf, unreachable } from './failure';

/** The types of what the administration API takes and answers, by their names in its description. */
export type Schemas = components['schemas'];

let csrfToken = '';

/** @param token of the session, which each change must show */
export function useToken(token: string): void {
  csrfToken = token;
}

/** Headers of a change. */
export function changeHeaders(): Record<string, string> {
  return { 'x-csrf-token': csrfToken };
}

/** The administration API, typed by its description. */
export const api = createClient<paths>({ baseUrl: '/', querySerializer: { array: { style: 'form', explode: false } } });

api.use({
  onRequest({ request }) {
    if (request.method !== 'GET') for (const [name, value] of Object.entries(changeHeaders())) request.headers.set(name, value);
    return request;
  },
  onError: () => unreachable(),
});

/**
 * Waits for an answer.
 * @throws Failure
 */
export async function answerOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (error !== undefined || !response.ok) throw failureOf(response, error);
  return data as T;
}
