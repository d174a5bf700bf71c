import { Command, InvalidArgumentError } from 'commander';
import { explainedRequestView, type ExplainedRequestView, RequestsDto } from '../admin/requests/request.dto.js';
import type { AttemptRecord } from '../common/requests/generation-record.js';
import { type KeyOfRequest, RequestHistories, type RequestHistory } from '../observability/request-history.js';
import type { RequestView } from '../observability/request-view.js';
import { administering } from './administer.js';
import { chargeTable } from './charge-table.js';
import { accountOption, type AccountOption, shortTime } from './common-options.js';
import type { Output } from './output.js';

interface ListOptions extends AccountOption {
  key?: string;
  model?: string;
  failed?: true;
  limit: number;
}

export function requestsCommand(output: Output): Command {
  const administers = administering(output);
  const requests = new Command('requests').description('the records of requests: attempts, timings, tokens, price');

  const show = requests
    .command('show')
    .argument('<id>', 'x-request-id of the answer, or the client’s own')
    .description('explain one request')
    .option('--text', 'show the text of request and answer too, where observability.store_text keeps it');
  administers(show, async (admin, { text: wanted }: { text?: true }, id: string) => {
    const history = await admin.requests.get(undefined, id);
    const key = await admin.get(RequestHistories).keyOf(history);
    const request = explainedRequestView(await admin.requests.namesOf([history]))(history);
    const text = wanted && (await admin.requests.text(history.request_id));
    const of = { label: key?.label ?? null, project_id: key?.projectId ?? null, project: key?.project ?? null };
    const write = () => {
      explain(output, request, history, key);
      if (wanted) quote(output, text);
    };
    return [Object.assign({}, request, of, { text }), write];
  });

  const listed = requests
    .command('list')
    .description('the latest requests')
    .addOption(accountOption())
    .option('-k, --key <id>', 'only those of this key')
    .option('-m, --model <model>', 'only those of this model')
    .option('--failed', 'only those that ended in an error')
    .option('-n, --limit <number>', 'at most so many', parseLimit, 20);
  administers(listed, async (admin, { account, key, model, failed, limit }: ListOptions) => {
    const query = Object.assign(new RequestsDto(), { key, model, failed: failed ?? false, limit });
    const { data } = await admin.requests.page(await admin.accountId(account), query);
    return output.list(data.map(explainedRequestView(await admin.requests.namesOf(data))), {
      'time (UTC)': ({ created_at }) => shortTime(created_at),
      request: 'request_id',
      model: 'model',
      status: 'status',
      outcome: ({ error_code, outcome }) => error_code ?? outcome,
      ms: 'duration_ms',
      tokens,
      credits: 'charged',
    });
  });

  return requests;
}

function explain(output: Output, one: ExplainedRequestView, { attempts }: RequestHistory, key: KeyOfRequest | undefined): void {
  output.facts([
    ['request', one.request_id],
    ['client’s id', one.client_request_id],
    ['time', one.created_at],
    ['operation', `${one.operation}${one.streamed ? ', streamed' : ''}`],
    ['model', one.model],
    ['key', one.key_id && `${one.key_id} (${one.environment})`],
    ['label', key?.label || undefined],
    ['project', key?.projectId && `${key.project} (${key.projectId})`],
    ['answered', answered(one)],
    ['because', one.error_message],
    ['served by', one.outcome === 'provider_failed' ? undefined : one.provider],
    ['tokens', tokens(one)],
    ['contradictory', one.contradictory ? 'the counts of the provider, read as its documents say' : undefined],
    ['price', price(one)],
    ['charged', one.charged && `${one.charged} credits${one.estimated ? ', tokens counted by the gateway' : ''}`],
    ['beyond hold', some(one.collected, 'of these, collected from the balance')],
    ['uncollected', some(one.uncollected)],
    ['breakpoints', breakpoints(attempts)],
    ['saved', some(one.saved_by_cache, 'by the provider’s cache')],
    ['cache writes', some(one.spent_on_cache_writes, 'more than a prompt without them')],
    ['dropped', one.dropped_parameters.join(', ') || undefined],
  ]);
  if (one.charge) {
    output.line``;
    chargeTable(output, one.charge);
  }
  if (one.attempts.length === 0) return;
  output.line``;
  const [, table] = output.list(one.attempts, {
    attempt: 'offer',
    'at ms': ({ started_ms }) => rounded(started_ms),
    outcome: 'outcome',
    status: 'status',
    'queue ms': ({ queue_ms }) => rounded(queue_ms),
    'first token ms': ({ first_token_ms }) => rounded(first_token_ms),
    'total ms': ({ total_ms }) => rounded(total_ms),
  });
  table();
}

function quote(output: Output, text: { request: string; answer: string | null } | null | undefined): void {
  output.line``;
  if (!text) return output.line`Its text was not kept: see observability.store_text.`;
  output.line`asked        ${text.request}`;
  if (text.answer !== null) output.line`answered     ${text.answer}`;
}

function answered({ status, duration_ms, outcome, error_code }: RequestView): string {
  if (status === null) return `${outcome}: its gateway has not written more than what was charged`;
  return `${status} after ${duration_ms} ms, ${outcome}${error_code ? `, ${error_code}` : ''}`;
}

function tokens({ prompt_tokens, completion_tokens }: RequestView): string | undefined {
  return prompt_tokens === null ? undefined : `${prompt_tokens} + ${completion_tokens ?? 0}`;
}

/** An amount in words; undefined where there is none. */
function some(amount: string | undefined, what = ''): string | undefined {
  return amount === undefined || amount === '0' ? undefined : `${amount} credits ${what}`.trimEnd();
}

/** Where the gateway has marked the request for the cache of a provider, by offer where they differ. */
function breakpoints(attempts: readonly AttemptRecord[]): string | undefined {
  const marked = attempts.filter(({ cacheBreakpoints }) => cacheBreakpoints?.length);
  const places = new Map(marked.map(({ offer, cacheBreakpoints }) => [offer, cacheBreakpoints!.join(', ')]));
  if (places.size === 0) return undefined;
  return `set by the gateway: ${Array.from(places, ([offer, names]) => `${names} (${offer})`).join('; ')}`;
}

function price({ price_prompt, price_completion }: RequestView): string | undefined {
  if (price_prompt === null || price_completion === null) return undefined;
  return `${price_prompt} and ${price_completion} credits per 1,000 prompt and completion tokens`;
}

function rounded(ms: number | null): number | undefined {
  return ms === null ? undefined : Math.round(ms * 10) / 10;
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new InvalidArgumentError('Give a whole number from 1 to 1000.');
  return limit;
}
