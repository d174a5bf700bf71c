import { useMutation, useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client';
import { useOperation } from '../../../api/operations';
import { useList } from '../../../ui/list';

export type Provider = Schemas['ProviderView'];
export type Trial = Schemas['TrialView'];
export type Settings = Record<string, unknown>;

/** The providers of the file and of the store. */
export const useProviders = () =>
  useList(['operate', 'providers'], (query) => answerOf(api.GET('/admin/v1/providers', { params: { query } })), { refresh: 15_000 });

/** What a provider can be. */
export function useProviderTypes() {
  return useQuery({
    queryKey: ['operate', 'provider-types'],
    staleTime: Infinity,
    queryFn: () => answerOf(api.GET('/admin/v1/provider-types')),
    select: ({ data }) => data,
  });
}

/** How many offers a provider has, of which models; at most 200 are counted. */
export function useOffersOf(provider: string) {
  return useQuery({
    queryKey: ['operate', 'offers', 'of', provider],
    queryFn: () => answerOf(api.GET('/admin/v1/offers', { params: { query: { provider, limit: 200 } } })),
  });
}

const at = ({ id, version }: Provider) => ({ params: { path: { provider: id } }, headers: { 'if-match': `"${version}"` } });

export const useCreateProvider = () =>
  useOperation((body: { id: string; settings: Settings }) => answerOf(api.POST('/admin/v1/providers', { body })));

export const useChangeProvider = () =>
  useOperation(({ provider, settings }: { provider: Provider; settings: Settings }) =>
    answerOf(api.PATCH('/admin/v1/providers/{provider}', { ...at(provider), body: { settings } })),
  );

export const useDisableProvider = () =>
  useOperation(({ provider, message }: { provider: Provider; message: string }) =>
    answerOf(api.POST('/admin/v1/providers/{provider}/disable', { ...at(provider), body: message === '' ? {} : { message } })),
  );

export const useEnableProvider = () =>
  useOperation((provider: Provider) => answerOf(api.POST('/admin/v1/providers/{provider}/enable', at(provider))));

export const useRemoveProvider = () =>
  useOperation((provider: Provider) => answerOf(api.DELETE('/admin/v1/providers/{provider}', at(provider))));

interface Trying {
  /** Id of a provider that there is; absent: what is not saved is tried. */
  provider?: string;
  /** The id that it is to have. */
  id?: string;
  settings?: Settings;
  model?: string;
}

/** Asks a provider for a few words. */
export function useTrial() {
  return useMutation({
    mutationFn: ({ provider, id, settings, model }: Trying): Promise<Trial> => {
      const named = model ? { model } : {};
      if (provider === undefined)
        return answerOf(api.POST('/admin/v1/providers/try', { body: { ...named, settings: settings ?? {}, ...(id && { id }) } }));
      const body = { ...named, ...(settings && { settings }) };
      return answerOf(api.POST('/admin/v1/providers/{provider}/try', { params: { path: { provider } }, body }));
    },
  });
}
