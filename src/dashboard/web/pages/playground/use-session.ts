import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Failure } from '../../api/failure';
import { sessionQuery, useSession as usePerson } from '../../api/session';
import { useAccount } from '../../shell/account';
import { notifyFailure } from '../../ui/notify';
import { useEnvironment } from '../../ui/preferences';
import type { Conversation } from './conversation';
import { generate, recordOf } from './generate';
import { keep, kept, keptOf } from './kept-conversations';
import { Session } from './session';

/** Whose conversations they are: another person at this browser does not see them, nor do other accounts. */
export function useOwner(): string {
  const { user } = usePerson();
  const { id } = useAccount();
  return `${user.id} ${id}`;
}

/** The conversation that was shown last; null: there is none. */
export function useLast(owner: string) {
  return useQuery({
    queryKey: ['conversation', owner],
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: async () => {
      try {
        const [last] = await keptOf(owner);
        return (last && (await kept(last.id))) ?? null;
      } catch {
        // A browser that keeps nothing has kept nothing.
        return null;
      }
    },
  });
}

/** A session for as long as its page is shown, and the conversation in it. */
export function useSession(owner: string, first: Conversation): [Session, Conversation] {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  const client = useQueryClient();
  const [session] = useState(() => {
    let unheard = true;
    return new Session(
      {
        generate: (paying, ...call) => generate({ account, environment: paying }, ...call),
        recordOf: (paying, ids) => recordOf({ account, environment: paying }, ids),
        keep: (conversation) =>
          void keep(owner, conversation).catch(() => {
            if (unheard) notifyFailure(new Error('This browser does not keep conversations.'));
            unheard = false;
          }),
        fail: (error) => {
          if (error instanceof Failure && error.status === 401) void client.invalidateQueries(sessionQuery);
        },
      },
      first,
      environment,
    );
  });
  useEffect(() => session.charge(environment), [session, environment]);
  useEffect(() => {
    session.resume();
    return session.close;
  }, [session]);
  return [session, useSyncExternalStore(session.subscribe, session.conversation)];
}
