import { useLocalStorage } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
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

/** Accounts that are listed at most. */
const MOST = 50;

/**
 * The accounts that the person may choose among. Operators see all of them.
 * @param search what the names or ids of those that operators see have in them
 */
export function useAccounts(search = ''): { id: string; name: string }[] {
  const { user, memberships } = useSession();
  const { data } = useQuery({
    queryKey: ['accounts', 'first', search],
    enabled: user.operator,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts', { params: { query: { limit: MOST, search: search || undefined } } })),
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
  const listed = accounts.find((account) => account.id === id);
  const other = useQuery({
    queryKey: ['accounts', 'one', id],
    enabled: id !== undefined && !listed && accounts.length === MOST,
    staleTime: 60_000,
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}', { params: { path: { account: id! } } })),
  });
  if (id === undefined) return undefined;
  const role = roleIn(session, id);
  return role && { id, role, name: (listed ?? other.data)?.name ?? id };
}
