import type { Response } from 'supertest';

type Answer = Pick<Response, 'status' | 'headers' | 'body'> & { readonly text?: string };

/** An answer that is an error as the specification wants it, at every exit. */
export function expectEnvelope(answer: Answer, status: number, code: string): { message: string } {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  const body = JSON.parse(typeof answer.body === 'string' ? answer.body : answer.text!) as {
    error: { message: string; type: string; code: string };
  };
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'type']);
  for (const value of Object.values(body.error)) expect(typeof value).toBe('string');
  expect(body.error.message).not.toBe('');
  expect(body.error.code).toBe(code);
  return body.error;
}
