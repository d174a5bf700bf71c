import { useQuery } from '@tanstack/react-query';
import { allPages } from '../../../api/all-pages';
import { answerOf, api, type Schemas } from '../../../api/client';
import { useOperation } from '../../../api/operations';

export type Model = Schemas['OperatorModelView'];
export type ModelOffer = Schemas['ModelOfferView'];
export type ModelSwitch = Schemas['ModelSwitchView'];

/** A model, or its offer at one provider. */
export interface Switched {
  readonly model: string;
  /** Absent: all of its offers. */
  readonly provider?: string;
}

/** What operators have taken out of service, also where nobody offers it now. */
export function useSwitches() {
  return useQuery({
    queryKey: ['operate', 'model-switches'],
    queryFn: () => allPages((after) => answerOf(api.GET('/admin/v1/model-switches', { params: { query: { limit: 200, after } } }))),
  });
}

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
