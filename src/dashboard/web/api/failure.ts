/** What the gateway refused, or that it could not be reached. */
export class Failure extends Error {
  override readonly name = 'Failure';

  /**
   * @param status of HTTP; 0 where nothing was answered
   * @param code of the error, such as `not_found`
   * @param requestId which finds the request in the gateway's log
   */
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    readonly requestId: string | null,
  ) {
    super(message);
  }
}

/** @returns the error that a response tells */
export function failureOf(response: Response, body: unknown): Failure {
  const { message, code } = (body as { error?: { message?: string; code?: string } } | undefined)?.error ?? {};
  return new Failure(
    message ?? `The gateway answered ${response.status}.`,
    response.status,
    code ?? 'unknown',
    response.headers.get('x-request-id'),
  );
}

export function unreachable(): Failure {
  return new Failure('The gateway cannot be reached. Check your connection, then try again.', 0, 'unreachable', null);
}
