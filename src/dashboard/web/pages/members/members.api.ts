import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client';
import { useAccount } from '../../shell/account';
import { useList } from '../../ui/list';

export type Member = Schemas['MemberView'];
export type Invitation = Schemas['InvitationView'];
export type MadeInvitation = Schemas['MadeInvitationView'];
export type MemberRole = Schemas['MemberRole'];
export type Token = Schemas['TokenView'];

/** All that an account has of people and tokens is loaded anew after a change. */
const keyOf = (account: string, what = ''): string[] => (what === '' ? ['members', account] : ['members', account, what]);

/** The members of the account, in the order of their e-mail addresses. */
export function useMembers() {
  const { id: account } = useAccount();
  return useList(keyOf(account, 'people'), (query) => readMembers(account, query));
}

/** Two owners of the account, where it has so many. */
export function useOwners() {
  const { id: account } = useAccount();
  return useQuery({
    queryKey: keyOf(account, 'owners'),
    queryFn: () => readMembers(account, { role: 'owner', limit: 2 }),
    select: ({ data }) => data,
  });
}

const readMembers = (
  account: string,
  query: { search?: string | undefined; role?: MemberRole; limit: number; after?: string | undefined },
) => answerOf(api.GET('/admin/v1/accounts/{account}/members', { params: { path: { account }, query } }));

/** Who is invited to the account, oldest first. */
export function useInvitations() {
  const { id: account } = useAccount();
  return useList(
    keyOf(account, 'invitations'),
    (query) => answerOf(api.GET('/admin/v1/accounts/{account}/invitations', { params: { path: { account }, query } })),
    { limit: 200, inAddress: false },
  );
}

/** The administration tokens of the account, oldest first. */
export function useTokens() {
  const { id: account } = useAccount();
  return useList(
    keyOf(account, 'tokens'),
    (query) => answerOf(api.GET('/admin/v1/accounts/{account}/tokens', { params: { path: { account }, query } })),
    { limit: 200 },
  );
}

/** Makes a change, and loads people and tokens anew, also where somebody else has changed them meanwhile. */
function useChange<Input, Answer>(run: (account: string, input: Input) => Promise<Answer>) {
  const { id: account } = useAccount();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => run(account, input),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf(account) }),
  });
}

/** Also makes a new link for somebody who is invited already: it takes the place of the one before. */
export const useInvite = () =>
  useChange((account, body: Schemas['Invite']) =>
    answerOf(api.POST('/admin/v1/accounts/{account}/invitations', { params: { path: { account } }, body })),
  );

export const useWithdraw = () =>
  useChange((account, { id: invitation }: Invitation) =>
    answerOf(api.DELETE('/admin/v1/accounts/{account}/invitations/{invitation}', { params: { path: { account, invitation } } })),
  );

export const useChangeRole = () =>
  useChange((account, { member, role }: { member: Member; role: MemberRole }) =>
    answerOf(
      api.PATCH('/admin/v1/accounts/{account}/members/{user}', {
        params: { path: { account, user: member.user_id } },
        headers: { 'if-match': `"${member.version}"` },
        body: { role },
      }),
    ),
  );

export const useRemoveMember = () =>
  useChange((account, { user_id: user }: Member) =>
    answerOf(api.DELETE('/admin/v1/accounts/{account}/members/{user}', { params: { path: { account, user } } })),
  );

/** A link that signs somebody in once; for operators. */
export const useSignInLink = () =>
  useMutation({
    mutationFn: ({ user_id: user }: Member) => answerOf(api.POST('/admin/v1/users/{user}/sign-in-links', { params: { path: { user } } })),
  });

export const useCreateToken = () =>
  useChange((account, body: Schemas['CreateToken']) =>
    answerOf(api.POST('/admin/v1/accounts/{account}/tokens', { params: { path: { account } }, body })),
  );

export const useRevokeToken = () =>
  useChange((account, { id: token }: Token) =>
    answerOf(api.DELETE('/admin/v1/accounts/{account}/tokens/{token}', { params: { path: { account, token } } })),
  );
