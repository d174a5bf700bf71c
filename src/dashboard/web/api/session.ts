import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { changeHeaders, useToken } from './client';
import { Failure, failureOf, unreachable } from './failure';

export type Role = 'operator' | 'owner' | 'admin' | 'developer' | 'viewer';

export interface Membership {
  account_id: string;
  account_name: string;
  role: Exclude<Role, 'operator'>;
}

export interface Session {
  user: { id: string; email: string; name: string; operator: boolean };
  memberships: Membership[];
  csrf_token: string;
  expires_at: string;
}

export interface SignInOptions {
  password: boolean;
  oidc: { id: string; label: string }[];
  has_people: boolean;
}

export interface Invitation {
  account_name: string;
  email: string;
  role: Membership['role'];
}

/** @throws Failure */
export async function send<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const response = await fetch(`/admin/v1/${path}`, {
    method,
    headers: { ...(method === 'GET' ? {} : changeHeaders()), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw unreachable();
  });
  const text = await response.text();
  const answer = text === '' ? undefined : (JSON.parse(text) as unknown);
  if (!response.ok) throw failureOf(response, answer);
  return answer as T;
}

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async (): Promise<Session | null> => {
    try {
      return kept(await send<Session>('GET', 'session'));
    } catch (error) {
      if (error instanceof Failure && error.status === 401) return null;
      throw error;
    }
  },
});

/** Begins a session with what the gateway has answered to a sign-in. */
export function begin(client: QueryClient, session: Session): void {
  client.setQueryData(sessionQuery.queryKey, kept(session));
}

/** Forgets the session and everything that was loaded in it. */
export function end(client: QueryClient): void {
  client.clear();
  client.setQueryData(sessionQuery.queryKey, null);
}

/** The session, in pages that are shown within one only. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('This page is shown within a session only.');
  return data;
}

/** What the person may in an account. */
export function roleIn({ user, memberships }: Session, account: string): Role | undefined {
  return user.operator ? 'operator' : memberships.find(({ account_id }) => account_id === account)?.role;
}

function kept(session: Session): Session {
  useToken(session.csrf_token);
  return session;
}
