import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from './client';

export type Model = Schemas['AccountModelView'];

/** Ids of the first models that can be called in a way now. */
export function useCallable(account: string, capability: 'chat' | 'completion') {
  return useQuery({
    queryKey: ['models', account, 'callable', capability],
    staleTime: 30_000,
    refetchInterval: 60_000,
    queryFn: async () => {
      const query = { capabilities: [capability], active: true, limit: 20 };
      const { data } = await answerOf(api.GET('/admin/v1/accounts/{account}/models', { params: { path: { account }, query } }));
      return data.map(({ id }) => id);
    },
  });
}

/** One model, with its history by the quarter of an hour. */
export const modelQuery = (account: string, id: string) => ({
  queryKey: ['model', account, id],
  refetchInterval: 60_000,
  queryFn: () => answerOf(api.GET('/admin/v1/accounts/{account}/models/{model}', { params: { path: { account, model: id } } })),
});

/** The model that code is shown with where nobody knows one. */
export const SOME_MODEL = 'MODEL';

/** A model that answers chats now, to show code with: the sandbox's for test keys, and of others the first one. */
export function useChatModel(account: string, environment: 'live' | 'test'): string {
  const { data: chat = [] } = useCallable(account, 'chat');
  if (environment === 'test') return 'sandbox-chat';
  return chat.find((id) => !id.startsWith('sandbox')) ?? chat[0] ?? SOME_MODEL;
}
