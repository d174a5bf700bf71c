import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { answerOf, api, type Schemas, useToken } from './client';
import { Failure } from './failure';

export type Role = Schemas['AdminRole'];
export type Session = Schemas['SessionView'];

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async (): Promise<Session | null> => {
    try {
      return kept(await answerOf(api.GET('/admin/v1/session')));
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
  client.setQueryData(sessionQuery.queryKey, null);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
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

function kept(session: Session): Session {
  useToken(session.csrf_token);
  return session;
}
