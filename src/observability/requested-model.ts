import type { FastifyRequest } from 'fastify';

/** The model that the body of a request names, as text of bounded length; undefined where it names none. */
export function requestedModel({ body }: Pick<FastifyRequest, 'body'>, maxLength: number): string | undefined {
  const model = (body as { model?: unknown } | null | undefined)?.model;
  return typeof model === 'string' ? model.slice(0, maxLength) : undefined;
}
