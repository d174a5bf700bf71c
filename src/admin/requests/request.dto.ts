import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';
import type { RequestHistory } from '../../observability/request-history.js';
import { type AttemptView, attemptView, requestView, RequestView } from '../../observability/request-view.js';
import { IsText, MayBeAbsent } from '../fields.js';
import { PageDto } from '../page.dto.js';

/** Reads `true` and `false` of a query string; anything else stays, for the validation to refuse it. */
const Flag = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value));

/** Which requests are listed. */
export class RequestsDto extends PageDto {
  /** Id of a key. */
  @MayBeAbsent()
  @IsText(256, 1)
  key?: string;

  @MayBeAbsent()
  @IsText(256, 1)
  model?: string;

  /** Only those that ended in an error. */
  @Flag()
  @IsBoolean()
  failed = false;
}

export class AllRequestsDto extends RequestsDto {
  /** Id of an account. */
  @MayBeAbsent()
  @IsText(256, 1)
  account?: string;
}

export class ShowRequestDto {
  /** Shows the text of request and answer too, where `observability.store_text` keeps it. */
  @Flag()
  @IsBoolean()
  text = false;
}

/** A request with what operators know of it: the calls of providers. */
export class ExplainedRequestView extends RequestView {
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

export function explainedRequestView(history: RequestHistory): ExplainedRequestView {
  return Object.assign(requestView(history), { attempts: history.attempts.map(attemptView) });
}
