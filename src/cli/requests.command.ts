import { Command, InvalidArgumentError } from 'commander';
import { formatCredits, formatDecimal } from '../common/credits.js';
import { type KeyOfRequest, RequestHistories, type RequestHistory } from '../observability/request-history.js';
import { requestView } from '../observability/request-view.js';
import { administer } from './administer.js';
import { chargeTable } from './charge-table.js';
import { CommandError } from './command-error.js';
import { accountOption, type CommonOptions, isoTime, shortTime, withCommonOptions } from './common-options.js';
import type { Output } from './output.js';

interface ListOptions extends CommonOptions {
  account?: string;
  key?: string;
  model?: string;
  failed?: true;
  limit: number;
}

interface ShowOptions extends CommonOptions {
  text?: true;
}

export function requestsCommand(output: Output): Command {
  const requests = new Command('requests').description('the records of requests: attempts, timings, tokens, price');

  withCommonOptions(
    requests.command('show').argument('<id>', 'x-request-id of the answer, or the client’s own').description('explain one request'),
  )
    .option('--text', 'show the text of request and answer too, where observability.store_text keeps it')
    .action(async (id: string, { config, json, text }: ShowOptions) => {
      const [history, said, key] = await administer({ config }, 'requests show', async (admin) => {
        const histories = admin.get(RequestHistories);
        const found = await histories.find(id);
        if (!found) return [];
        return [found, text ? await histories.text(found.request_id) : undefined, await histories.keyOf(found)];
      });
      if (!history)
        throw new CommandError(`there is no record of a request '${id}'; records are written within a second and kept for a while`);
      const of = { label: key?.label ?? null, project_id: key?.projectId ?? null, project: key?.project ?? null };
      if (json) return output.json({ ...toJson(history), ...of, ...(text && { text: said ?? null }) });
      explain(output, history, key);
      if (text) quote(output, said);
    });

  withCommonOptions(requests.command('list').description('the latest requests'))
    .addOption(accountOption())
    .option('-k, --key <id>', 'only those of this key')
    .option('-m, --model <model>', 'only those of this model')
    .option('--failed', 'only those that ended in an error')
    .option('-n, --limit <number>', 'at most so many', parseLimit, 20)
    .action(async ({ config, json, account, key, model, failed, limit }: ListOptions) => {
      const histories = await administer({ config }, 'requests list', async (admin) => {
        const accountId = await admin.accountId(account);
        return admin.get(RequestHistories).list({ accountId, keyId: key, model: admin.modelId(model), failed, limit });
      });
      if (json) return output.json(histories.map(toJson));
      output.table(
        ['time (UTC)', 'request', 'model', 'status', 'outcome', 'ms', 'tokens', 'credits'],
        histories.map((one) => [
          shortTime(Number(one.created_at)),
          one.request_id,
          one.model ?? undefined,
          numberText(one.status),
          one.error_code ?? one.outcome,
          numberText(one.duration_ms),
          tokens(one),
          one.charged === undefined ? undefined : formatCredits(one.charged),
        ]),
      );
    });

  return requests;
}

function explain(output: Output, one: RequestHistory, key: KeyOfRequest | undefined): void {
  output.facts([
    ['request', one.request_id],
    ['client’s id', one.client_request_id ?? undefined],
    ['time', isoTime(Number(one.created_at))],
    ['operation', `${one.operation}${one.streamed === 1n ? ', streamed' : ''}`],
    ['model', one.model ?? undefined],
    ['key', one.key_id ? `${one.key_id} (${one.environment})` : undefined],
    ['label', key?.label || undefined],
    ['project', key?.projectId ? `${key.project} (${key.projectId})` : undefined],
    ['answered', answered(one)],
    ['because', one.error_message ?? undefined],
    ['served by', one.outcome === 'provider_failed' ? undefined : one.provider],
    ['tokens', tokens(one)],
    [
      'contradictory',
      one.attempts.some(({ contradictory }) => contradictory) ? 'the counts of the provider, read as its documents say' : undefined,
    ],
    ['price', price(one)],
    [
      'charged',
      one.charged === undefined
        ? undefined
        : `${formatCredits(one.charged)} credits${one.estimated ? ', tokens counted by the gateway' : ''}`,
    ],
    ['beyond hold', one.collected === 0n ? undefined : `${formatCredits(one.collected)} credits of these, collected from the balance`],
    ['uncollected', one.uncollected === 0n ? undefined : `${formatCredits(one.uncollected)} credits`],
    ['breakpoints', breakpoints(one)],
    ['saved', one.saved > 0n ? `${formatDecimal(one.saved, 12)} credits by the provider’s cache` : undefined],
    ['cache writes', one.cacheWrites > 0n ? `${formatDecimal(one.cacheWrites, 12)} credits more than a prompt without them` : undefined],
    ['dropped', one.dropped_parameters.join(', ') || undefined],
  ]);
  if (one.lines) {
    output.line``;
    chargeTable(output, one.lines, one.adjustments);
  }
  if (one.attempts.length === 0) return;
  output.line``;
  output.table(
    ['attempt', 'at ms', 'outcome', 'status', 'queue ms', 'first token ms', 'total ms'],
    one.attempts.map((attempt) => [
      attempt.offer,
      rounded(attempt.startedMs),
      attempt.outcome,
      attempt.status,
      rounded(attempt.queueMs),
      rounded(attempt.firstTokenMs),
      rounded(attempt.totalMs),
    ]),
  );
}

function quote(output: Output, said: { request: string; answer: string | null } | undefined): void {
  output.line``;
  if (!said) return output.line`Its text was not kept: see observability.store_text.`;
  output.line`asked        ${said.request}`;
  if (said.answer !== null) output.line`answered     ${said.answer}`;
}

function answered({ status, duration_ms, outcome, error_code }: RequestHistory): string {
  if (status === null) return `${outcome}: its gateway has not written more than what was charged`;
  return `${status} after ${duration_ms} ms, ${outcome}${error_code ? `, ${error_code}` : ''}`;
}

function numberText(value: bigint | null): string | undefined {
  return value === null ? undefined : String(value);
}

function tokens({ prompt_tokens, completion_tokens }: RequestHistory): string | undefined {
  return prompt_tokens === null ? undefined : `${prompt_tokens} + ${completion_tokens ?? 0}`;
}

/** Where the gateway has marked the request for the cache of a provider, by offer where they differ. */
function breakpoints({ attempts }: RequestHistory): string | undefined {
  const marked = attempts.filter(({ cacheBreakpoints }) => cacheBreakpoints?.length);
  const places = new Map(marked.map(({ offer, cacheBreakpoints }) => [offer, cacheBreakpoints!.join(', ')]));
  if (places.size === 0) return undefined;
  return `set by the gateway: ${Array.from(places, ([offer, names]) => `${names} (${offer})`).join('; ')}`;
}

function price({ price_prompt, price_completion }: RequestHistory): string | undefined {
  if (price_prompt === null || price_completion === null) return undefined;
  return `${formatCredits(price_prompt)} and ${formatCredits(price_completion)} credits per 1,000 prompt and completion tokens`;
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}

function toJson(history: RequestHistory): object {
  return Object.assign({}, requestView(history), { created_at: Number(history.created_at), attempts: history.attempts });
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new InvalidArgumentError('Give a whole number from 1 to 1000.');
  return limit;
}
