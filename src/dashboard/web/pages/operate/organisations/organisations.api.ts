import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client';
import { useList } from '../../../ui/list';

export type Organisation = Schemas['AccountView'];

/** Organisations, oldest first. */
export const useOrganisations = () =>
  useList(['accounts', 'listed'], (query) => answerOf(api.GET('/admin/v1/accounts', { params: { query } })));

export function useOrganisation(account: string) {
  return useQuery({
    queryKey: ['accounts', 'one', account],
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}', { params: { path: { account } } })),
  });
}

/** What it has in each environment. */
export function useBalances(account: string) {
  return useQuery({
    queryKey: ['credits', account],
    queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}/credits', { params: { path: { account } } })),
  });
}

/** What it was given, newest first. */
export const useTransfers = (account: string) =>
  useList(
    ['credits', account, 'transfers'],
    (query) => answerOf(api.GET('/admin/v1/accounts/{account}/credits/transfers', { params: { path: { account }, query } })),
    { limit: 20, inAddress: false },
  );

function useChange<Input, Answer>(run: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  // Also after a refusal: somebody else may have changed it.
  return useMutation({ mutationFn: run, onSettled: () => void client.invalidateQueries({ queryKey: ['accounts'] }) });
}

/** Makes one, once for its id. */
export const useCreateOrganisation = () =>
  useChange((body: { id?: string; name: string }) => answerOf(api.POST('/admin/v1/accounts', { body })));

/** What can be done to an organisation of each status. */
export const steps = { active: ['suspend', 'delete'], suspended: ['resume', 'delete'], closed: [] } as const;
export type Step = (typeof steps)[Organisation['status']][number];

export const useStep = () =>
  useChange(({ organisation: { id, version }, step }: { organisation: Organisation; step: Step }) => {
    const init = { params: { path: { account: id } }, headers: { 'if-match': `"${version}"` } };
    const path = '/admin/v1/accounts/{account}';
    return answerOf(step === 'delete' ? api.DELETE(path, init) : api.POST(`${path}/${step}`, init));
  });

export const useRenameOrganisation = () =>
  useChange(({ organisation: { id, version }, name }: { organisation: Organisation; name: string }) =>
    answerOf(
      api.PATCH('/admin/v1/accounts/{account}', {
        params: { path: { account: id } },
        headers: { 'if-match': `"${version}"` },
        body: { name },
      }),
    ),
  );
