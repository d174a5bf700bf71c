import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client';
import { every } from '../../../api/live';
import { useOperation } from '../../../api/operations';
import { useList } from '../../../ui/list';

export type Model = Schemas['OperatorModelView'];
export type ModelOffer = Schemas['ModelOfferView'];
export type ModelSwitch = Schemas['ModelSwitchView'];

/** A model, or its offer at one provider. */
export interface Switched {
  readonly model: string;
  /** Absent: all of its offers. */
  readonly provider?: string;
}

/** The models of the catalogue with their offers. @param onlyOut only those of which something is out of service */
export const useModels = (onlyOut: boolean) =>
  useList(
    ['operate', 'models', 'listed'],
    (part) => answerOf(api.GET('/admin/v1/models', { params: { query: { ...part, out_of_service: onlyOut } } })),
    { filter: { onlyOut }, refresh: 15_000 },
  );

/** One model with its offers. */
export const useModel = (model: string | null) =>
  useQuery({
    queryKey: ['operate', 'models', 'one', model],
    enabled: model !== null,
    refetchInterval: every(15_000),
    queryFn: () => answerOf(api.GET('/admin/v1/models/{model}', { params: { path: { model: model! } } })),
  });

/** Switches of what nobody offers now; 200 at most. */
export const useForgotten = () =>
  useQuery({
    queryKey: ['operate', 'model-switches'],
    queryFn: () => answerOf(api.GET('/admin/v1/model-switches', { params: { query: { offered: false, limit: 200 } } })),
    select: ({ data }) => data,
  });

export const useDisableModel = () =>
  useOperation(({ model, provider, message }: Switched & { message: string }) =>
    answerOf(
      api.POST('/admin/v1/models/{model}/disable', {
        params: { path: { model } },
        body: { ...(provider !== undefined && { provider }), ...(message !== '' && { message }) },
      }),
    ),
  );

export const useEnableModel = () =>
  useOperation(({ model, provider }: Switched) =>
    answerOf(
      api.POST('/admin/v1/models/{model}/enable', { params: { path: { model } }, body: provider === undefined ? {} : { provider } }),
    ),
  );
