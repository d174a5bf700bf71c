import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';

/** How people can sign in. */
export const signInOptions = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => answerOf(api.GET('/admin/v1/sign-in-options')),
});
