import { IsIn, Matches } from '../../common/validation/class-validator.js';
import { environments, type Environment } from '../../auth/principal.js';
import type { PageQuery } from '../../database/pages.js';
import { AccountRequestView } from '../../observability/account-request-view.js';
import type { Names } from '../../observability/names.js';
import type { RequestHistory } from '../../observability/request-history.js';
import { type AttemptView, attemptView, requestView, RequestView } from '../../observability/request-view.js';
import { IsCount, IsFlag, IsText, IsTime, MayBeAbsent } from '../fields.js';

/** Whose requests are meant. */
export class RequestsOfDto {
  /** Id of a key. */
  @MayBeAbsent(IsText(256, 1))
  key?: string;

  @MayBeAbsent(IsText(256, 1))
  model?: string;

  @MayBeAbsent(IsIn(environments))
  environment?: Environment;
}

/** Which requests are meant. */
export class RequestFilterDto extends RequestsOfDto {
  /** The id of a request, or its beginning. */
  @MayBeAbsent(
    Matches(/^[0-9a-f-]{1,36}$/, { message: 'id must be the id of a request, or its beginning: digits, letters from a to f and dashes' }),
  )
  id?: string;

  /** Id of a project: requests of the keys that are in it now. */
  @MayBeAbsent(IsText(256, 1))
  project?: string;

  /** HTTP status of the answer. */
  @MayBeAbsent(IsCount(100, 599))
  status?: number;

  /** Only those that ended in an error. */
  @IsFlag()
  failed = false;

  /** Only those that came at this time or later. */
  @MayBeAbsent(IsTime())
  from?: string;

  /** Only those that came before this time. */
  @MayBeAbsent(IsTime())
  to?: string;

  /**
   * Only those that ended at this time or later. Who follows what happens asks again and again with the time of the
   * question before, less 10 seconds, because requests are stored some seconds late, and shows each id once.
   */
  @MayBeAbsent(IsTime())
  since?: string;
}

/** Which requests are listed. */
export class RequestsDto extends RequestFilterDto implements PageQuery {
  /** At most so many. */
  @IsCount(1, 200)
  limit = 50;

  /** `next` of the page before. */
  @MayBeAbsent(IsText(1_100, 1))
  after?: string;
}

export class AllRequestsDto extends RequestsDto {
  /** Id of an account. */
  @MayBeAbsent(IsText(256, 1))
  account?: string;

  /** Only those of this group of `errors`. */
  @MayBeAbsent(IsText(4_000, 1))
  error_group?: string;
}

export class ShowRequestDto {
  /** Shows the text of request and answer too, where `observability.store_text` keeps it. Viewers do not see it. */
  @IsFlag()
  text = false;
}

/** A request with what operators know of it: the calls of providers. */
export class ExplainedRequestView extends RequestView {
  /** Null where the request was of no account. */
  account_name: string | null;
  /** Null where the request had no key. */
  key_label: string | null;
  attempts: AttemptView[];
}

/** What was asked and answered. */
export class RequestTextView {
  /** JSON of the body. */
  request: string;
  /** JSON of the choices. */
  answer: string | null;
}

export class ShownRequestView extends ExplainedRequestView {
  /** Null where it was not asked for, or not kept. */
  text: RequestTextView | null;
}

/** The row of the price book that was charged by; `models/ID/prices` shows it to operators. */
export class PriceSourceView {
  id: string;
  provider: string;
  model: string;
  /** Since when the price was in force. */
  valid_from: string;
}

/** A request, explained to the members of its account. */
export class ShownAccountRequestView extends AccountRequestView {
  /** Null where the price is not that of one offer, and for models that nobody lists. */
  price_source: PriceSourceView | null;
  /** Null where it was not asked for, or not kept, and for viewers. */
  text: RequestTextView | null;
}

/** What the accounts and keys of requests are called. */
export type NamesOfRequests = Readonly<Record<'accounts' | 'keys', Names>>;

export const explainedRequestView =
  ({ accounts, keys }: NamesOfRequests) =>
  (history: RequestHistory): ExplainedRequestView =>
    Object.assign(requestView(history), {
      account_name: accounts.get(history.account_id) ?? null,
      key_label: keys.get(history.key_id) ?? null,
      attempts: history.attempts.map(attemptView),
    });
