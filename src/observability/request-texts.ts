import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Insertable } from 'kysely';
import { Clock } from '../common/time/clock.js';
import { operationOf } from '../http/requests/operation.decorator.js';
import { type EndedRequest, OpenRequests } from '../http/server/open-requests.js';
import { ConfigService } from '../config/config.service.js';
import { Database } from '../database/database.js';
import type { RequestTextTable } from '../database/schema.js';
import { jsonPieces } from '../json/json-pieces.js';
import { WriteBehind } from './write-behind.js';

/** How many characters of a request, and of an answer, are kept. */
const MAX_TEXT = 64 * 1024;
const CUT = '… (cut)';

/**
 * Stores the text of requests and answers where the operator wants it (`observability.store_text`), for as long as the
 * request's record.
 */
@Injectable()
export class RequestTexts implements OnApplicationShutdown {
  readonly #rows: WriteBehind<Insertable<RequestTextTable>>;

  constructor(
    database: Database,
    private readonly config: ConfigService,
    openRequests: OpenRequests,
    private readonly clock: Clock,
  ) {
    this.#rows = new WriteBehind(
      {
        what: 'request texts',
        batch: 50,
        maxWaiting: 500,
        write: (rows) =>
          database.db
            .insertInto('request_text')
            .values(rows)
            .onConflict((conflict) => conflict.doNothing())
            .execute(),
      },
      clock,
    );
    openRequests.onEnd((ended) => this.#add(ended));
  }

  onApplicationShutdown(): Promise<void> {
    return this.#rows.close();
  }

  #add({ request, ms }: EndedRequest): void {
    if (!this.config.current.observability.store_text) return;
    // What is sent to the administration may have secrets.
    if (operationOf(request) === undefined) return;
    const { body, requestContext } = request;
    if (typeof body !== 'object' || body === null) return;
    const answer = requestContext?.record?.answer;
    const texts = { request: beginning(body), answer: answer === undefined ? null : bounded(answer) };
    this.#rows.add({ request_id: request.id, created_at: this.clock.now() - Math.round(ms), ...texts }, request.principal?.accountId);
  }
}

/** As much of the JSON as is kept. No more of it is made: an image may have megabytes. */
function beginning(body: object): string {
  let json = '';
  for (const piece of jsonPieces(body)) {
    json += piece;
    if (json.length > MAX_TEXT) break;
  }
  return bounded(json);
}

function bounded(text: string): string {
  return text.length > MAX_TEXT ? text.slice(0, MAX_TEXT).toWellFormed() + CUT : text;
}
