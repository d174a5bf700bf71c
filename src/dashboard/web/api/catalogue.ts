import { useQuery } from '@tanstack/react-query';
import { allPages } from './all-pages';
import { answerOf, api } from './client';

/** The models of the catalogue with their offers, also those that are out of service; for operators. */
export const catalogueQuery = {
  queryKey: ['operate', 'models'],
  queryFn: () => allPages((after) => answerOf(api.GET('/admin/v1/models', { params: { query: { limit: 200, after } } }))),
};

/** The providers of the file and of the store; for operators. */
export const providersQuery = {
  queryKey: ['operate', 'providers'],
  queryFn: () => allPages((after) => answerOf(api.GET('/admin/v1/providers', { params: { query: { limit: 200, after } } }))),
};

/** Ids of the catalogue's models. */
export function useModelIds(): string[] {
  const { data } = useQuery({ ...catalogueQuery, staleTime: 30_000 });
  return data?.map(({ id }) => id) ?? [];
}

/** Ids of providers, each once. */
export function useProviderIds(): string[] {
  const { data } = useQuery({ ...providersQuery, staleTime: 30_000 });
  return [...new Set(data?.map(({ id }) => id))];
}
