import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { answerOf, api, type Schemas, useToken } from './client';
import { Failure } from './failure';

export type Role = Schemas['AdminRole'];
export type Session = Schemas['SessionView'] & {
  /** It is over, and the page is shown as it was left, below a sign-in. */
  ended?: true;
};

const KEY = ['session'];

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: KEY,
  staleTime: 60_000,
  queryFn: async ({ client }): Promise<Session | null> => {
    try {
      return kept(client, await answerOf(api.GET('/admin/v1/session')));
    } catch (error) {
      if (error instanceof Failure && error.status === 401) return ended(client);
      throw error;
    }
  },
});

/** Begins a session with what the gateway has answered to a sign-in. */
export function begin(client: QueryClient, session: Session): void {
  client.setQueryData(sessionQuery.queryKey, kept(client, session));
  void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
}

/** Notes that the session is over. */
export function end(client: QueryClient): void {
  client.setQueryData(sessionQuery.queryKey, ended(client));
}

/** The session that what is shown belongs to. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** The session, in what is shown within one only. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('This is shown within a session only.');
  return session;
}

/** What the person may in an account. */
export function roleIn({ user, memberships }: Session, account: string): Role | undefined {
  return user.operator ? 'operator' : memberships.find(({ account_id }) => account_id === account)?.role;
}

const lastOf = (client: QueryClient): Session | null => client.getQueryData<Session | null>(KEY) ?? null;

function ended(client: QueryClient): Session | null {
  const last = lastOf(client);
  return last && { ...last, ended: true };
}

function kept(client: QueryClient, session: Session): Session {
  const last = lastOf(client);
  // Nothing of one person is left for another.
  if (last && last.user.id !== session.user.id) globalThis.location.assign('/dashboard');
  useToken(session.csrf_token);
  return session;
}
