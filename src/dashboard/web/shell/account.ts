import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { createContext, use, useEffect } from 'react';
import { useRoute } from 'wouter';
import { answerOf, api } from '../api/client';
import { roleIn, type Role, useSession } from '../api/session';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

const KEY = 'switchyard.account';

export const AccountContext = createContext<Account | undefined>(undefined);

/** The account that the page is about. */
export function useAccount(): Account {
  const account = use(AccountContext);
  if (!account) throw new Error('This page is about an account, and none is chosen.');
  return account;
}

/** The accounts that the person may choose among. Operators see all of them. */
export function useAccounts(): { id: string; name: string }[] {
  const { user, memberships } = useSession();
  const { data } = useQuery({
    queryKey: ['accounts'],
    enabled: user.operator,
    staleTime: 60_000,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts', { params: { query: { limit: 200 } } })),
  });
  const own = memberships.map(({ account_id, account_name }) => ({ id: account_id, name: account_name }));
  if (!user.operator) return own;
  return (data?.data ?? []).map(({ id, name }) => ({ id, name }));
}

/** The account of the address; elsewhere the one that was chosen last, or the first. */
export function useChosenAccount(): Account | undefined {
  const session = useSession();
  const accounts = useAccounts();
  const [, params] = useRoute<{ account: string }>('/accounts/:account/*?');
  const [last, remember] = useLocalStorage({ key: KEY, defaultValue: '', getInitialValueInEffect: false });
  const named = params?.account === undefined ? undefined : decodeURIComponent(params.account);
  useEffect(() => {
    if (named !== undefined) remember(named);
  }, [named, remember]);
  const id = named ?? accounts.find((account) => account.id === last)?.id ?? accounts[0]?.id;
  if (id === undefined) return undefined;
  const role = roleIn(session, id);
  return role && { id, role, name: accounts.find((account) => account.id === id)?.name ?? id };
}
