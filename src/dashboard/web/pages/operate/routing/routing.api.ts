import { useMutation } from '@tanstack/react-query';
import { answerOf, api, type Schemas } from '../../../api/client';

export type Tryout = Schemas['TryoutView'];

/** A request as the form describes it. */
export interface Question {
  model: string;
  /** About so many tokens. */
  promptTokens: number;
  maxTokens: number | '';
  /** What is asked in the place of `model` and both numbers: a whole body as JSON. */
  body: string;
  account: string | null;
  environment: 'live' | 'test';
  strategy: string | null;
  providers: string[];
  without: string[];
  /** Credits per million tokens. */
  maxPrice: number | '';
}

/** Prompts beyond this would be larger than what the administration API reads. */
export const MAX_PROMPT_TOKENS = 50_000;

/** The body of a chat request whose prompt is about as long as is said. */
function bodyOf({ model, promptTokens, maxTokens, body }: Question): Record<string, unknown> {
  if (body.trim() !== '') return JSON.parse(body) as Record<string, unknown>;
  return {
    model: model.trim(),
    messages: [{ role: 'user', content: 'test '.repeat(Math.max(promptTokens, 1)).trimEnd() }],
    ...(maxTokens !== '' && { max_tokens: maxTokens }),
  };
}

function headersOf({ strategy, providers, without, maxPrice }: Question): Record<string, string> {
  return {
    ...(strategy !== null && { 'x-switchyard-strategy': strategy }),
    ...(providers.length > 0 && { 'x-switchyard-providers': providers.join(',') }),
    ...(without.length > 0 && { 'x-switchyard-without-providers': without.join(',') }),
    ...(maxPrice !== '' && { 'x-switchyard-max-price': decimal(maxPrice / 1_000) }),
  };
}

/** Without an exponent. */
const decimal = (value: number): string => value.toFixed(12).replace(/\.?0+$/, '');

/** Asks where a request would go. Nothing is sent. */
export function useTryout() {
  return useMutation({
    mutationFn: (question: Question) =>
      answerOf(
        api.POST('/admin/v1/routing/try', {
          headers: headersOf(question),
          body: {
            request: bodyOf(question),
            environment: question.environment,
            ...(question.account !== null && { account: question.account }),
          },
        }),
      ),
  });
}
