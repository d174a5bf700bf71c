import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { answerOf, api } from './client';
import { nameOfKey } from './keys';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly disabled?: boolean;
}

/** What of the gateway can be chosen. */
export interface Choices {
  readonly queryKey: QueryKey;
  /** The first of those that have a text in their name or id. */
  readonly find: (query: { limit: number; search: string | undefined }) => Promise<readonly Choice[]>;
  /** Absent: they are shown by their ids. */
  readonly nameOf?: (id: string) => Promise<string>;
}

/** How many are shown to choose among. */
const FIRST = 20;

/** The first of what has a text in its name or id. */
export function useFound({ queryKey, find }: Choices, text = '') {
  const search = text.trim().slice(0, 200) || undefined;
  return useQuery({
    queryKey: [...queryKey, 'found', search],
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    queryFn: () => find({ limit: FIRST, search }),
  });
}

const named = ({ id, name }: { id: string; name: string }): Choice => ({ value: id, label: name || id });
const unnamed = (id: string): Choice => ({ value: id, label: id });

/** All organisations; for operators. */
export const organisations: Choices = {
  queryKey: ['accounts'],
  find: async (query) => (await answerOf(api.GET('/admin/v1/accounts', { params: { query } }))).data.map(named),
  nameOf: async (account) => (await answerOf(api.GET('/admin/v1/accounts/{account}', { params: { path: { account } } }))).name,
};

/** The models of the catalogue, also those that are out of service; for operators. */
export const catalogue: Choices = {
  queryKey: ['operate', 'models'],
  find: async (query) => (await answerOf(api.GET('/admin/v1/models', { params: { query } }))).data.map(({ id }) => unnamed(id)),
};

/** The providers of the file and of the store; for operators. */
export const providers: Choices = {
  queryKey: ['operate', 'providers'],
  find: async (query) => {
    const { data } = await answerOf(api.GET('/admin/v1/providers', { params: { query } }));
    return [...new Set(data.map(({ id }) => id))].map(unnamed);
  },
};

/** @param which the models of an account: absent, all that its rules allow */
export const modelsOf = (account: string, which: { capabilities?: ('chat' | 'completion')[] } = {}): Choices => ({
  queryKey: ['models', account, which],
  find: async (query) => {
    const params = { path: { account }, query: { ...which, ...query } };
    const { data } = await answerOf(api.GET('/admin/v1/accounts/{account}/models', { params }));
    return data.map(({ id, status }) => ({ ...unnamed(id), disabled: which.capabilities !== undefined && !status.active }));
  },
});

export const keysOf = (account: string, environment: 'live' | 'test'): Choices => ({
  queryKey: ['keys', account, environment],
  find: async (query) => {
    const params = { path: { account }, query: { environment, newest_first: true, ...query } };
    const { data } = await answerOf(api.GET('/admin/v1/accounts/{account}/keys', { params }));
    return data.map((key) => ({ value: key.id, label: nameOfKey(key) }));
  },
  nameOf: async (key) =>
    nameOfKey(await answerOf(api.GET('/admin/v1/accounts/{account}/keys/{key}', { params: { path: { account, key } } }))),
});

export const projectsOf = (account: string): Choices => ({
  queryKey: ['projects', account],
  find: async (query) =>
    (await answerOf(api.GET('/admin/v1/accounts/{account}/projects', { params: { path: { account }, query } }))).data.map(named),
  nameOf: async (project) =>
    (await answerOf(api.GET('/admin/v1/accounts/{account}/projects/{project}', { params: { path: { account, project } } }))).name,
});
