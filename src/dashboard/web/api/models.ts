import { useQuery } from '@tanstack/react-query';
import { allPages } from './all-pages';
import { answerOf, api, type Schemas } from './client';

export type Model = Schemas['AccountModelView'];

/** The models that an account's rules allow. */
export function useModels(account: string) {
  return useQuery({
    queryKey: ['models', account],
    staleTime: 30_000,
    refetchInterval: 60_000,
    queryFn: () =>
      allPages((after) =>
        answerOf(api.GET('/admin/v1/accounts/{account}/models', { params: { path: { account }, query: { limit: 200, after } } })),
      ),
  });
}

/** The model that code is shown with where nobody knows one. */
export const SOME_MODEL = 'MODEL';

/** A model that answers chats now, to show code with: the sandbox's for test keys, and of others the first one. */
export function useChatModel(account: string, environment: 'live' | 'test'): string {
  const models = useModels(account);
  if (environment === 'test') return 'sandbox-chat';
  const chat = (models.data ?? []).filter(({ status, capabilities }) => status.active && capabilities.chat);
  return (chat.find(({ id }) => !id.startsWith('sandbox')) ?? chat[0])?.id ?? SOME_MODEL;
}
