import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../api/client';
import type { Key } from '../../api/keys';
import { useAccount } from '../../shell/account';
import { useList } from '../../ui/list';
import { useEnvironment } from '../../ui/preferences';

export type { Key };
export type MadeKey = Schemas['MadeKeyView'];
export type Rules = Schemas['Rules'];
export type CreateKey = Schemas['CreateKey'];

/** Keys of the account in the environment that is shown, newest first. */
export function useKeys(active: boolean) {
  const { id: account } = useAccount();
  const [environment] = useEnvironment();
  const query = { environment, active, newest_first: true };
  return useList(
    ['keys', account, environment],
    (part) => answerOf(api.GET('/admin/v1/accounts/{account}/keys', { params: { path: { account }, query: { ...query, ...part } } })),
    { filter: { active } },
  );
}

/** What was spent since a time, by the first keys of those that have replaced one another, and by projects. */
export function useSpent(since: string, enabled: boolean) {
  const { id: account } = useAccount();
  return useQuery({
    queryKey: ['usage', account, 'by-first-key', since],
    enabled,
    queryFn: async () => {
      const query = { by: ['first_key', 'project'], since };
      return (await answerOf(api.GET('/admin/v1/accounts/{account}/usage', { params: { path: { account }, query } }))).data;
    },
  });
}

/** Makes a change, and loads the keys anew when it is made. */
function useChange<Input, Answer>(run: (account: string, input: Input) => Promise<Answer>) {
  const { id: account } = useAccount();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => run(account, input),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['keys', account] }),
  });
}

export const useCreateKey = () =>
  useChange((account, body: CreateKey) => answerOf(api.POST('/admin/v1/accounts/{account}/keys', { params: { path: { account } }, body })));

export const useChangeKey = () =>
  useChange((account, { key, body }: { key: Key; body: Schemas['ChangeKey'] }) =>
    answerOf(
      api.PATCH('/admin/v1/accounts/{account}/keys/{key}', {
        params: { path: { account, key: key.id } },
        headers: { 'if-match': `"${key.version}"` },
        body,
      }),
    ),
  );

export const useRotateKey = () =>
  useChange((account, { key, grace }: { key: Key; grace: number }) =>
    answerOf(
      api.POST('/admin/v1/accounts/{account}/keys/{key}/rotate', {
        params: { path: { account, key: key.id } },
        body: { grace_seconds: grace },
      }),
    ),
  );

export const useRevokeKey = () =>
  useChange((account, key: Key) =>
    answerOf(api.DELETE('/admin/v1/accounts/{account}/keys/{key}', { params: { path: { account, key: key.id } } })),
  );
