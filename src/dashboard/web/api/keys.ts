import { useQuery } from '@tanstack/react-query';
import { allPages } from './all-pages';
import { answerOf, api, type Schemas } from './client';

export type Key = Schemas['KeyView'];

/** All keys of an account, oldest first. */
export function useKeys(account: string, enabled = true) {
  return useQuery({
    queryKey: ['keys', account],
    enabled,
    queryFn: () =>
      allPages((after) =>
        answerOf(api.GET('/admin/v1/accounts/{account}/keys', { params: { path: { account }, query: { limit: 200, after } } })),
      ),
  });
}

/** All projects of an account, oldest first. */
export function useProjects(account: string, enabled = true) {
  return useQuery({
    queryKey: ['projects', account],
    enabled,
    staleTime: 60_000,
    queryFn: () =>
      allPages((after) =>
        answerOf(api.GET('/admin/v1/accounts/{account}/projects', { params: { path: { account }, query: { limit: 200, after } } })),
      ),
  });
}
