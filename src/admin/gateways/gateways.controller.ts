import { Get, Query } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { pageInMemory } from '../../database/pages.js';
import { type GatewayProcess, Gateways } from '../../observability/gateways.js';
import type { Integer } from '../../wire/integer.js';
import { AdminController } from '../route.decorators.js';
import { isoTime } from '../fields.js';
import { PageDto, type PageView, pageView } from '../page.dto.js';

/** A process of a gateway: with several workers each of them is one. */
export class GatewayView {
  /** Made anew at each start. */
  id: string;
  host: string;
  pid: Integer;
  version: string;
  started_at: string;
  last_seen_at: string;
  /** When it was last seen. */
  open_requests: Integer;
  /** False where it has said nothing for 35 seconds; it is listed for an hour. */
  alive: boolean;
  /** Whether it has answered this request. */
  this_process: boolean;
}

@AdminController('gateways')
export class GatewaysController {
  constructor(private readonly gateways: Gateways) {}

  /**
   * Lists the gateway processes that share the store, in the order in which they have started. One that has ended
   * orderly is not among them.
   * @returns a page of them
   */
  @Get()
  @Roles('operator')
  async list(@Query() query: PageDto): Promise<PageView<GatewayView>> {
    return pageView(pageInMemory(await this.gateways.list(), query, keyOf), gatewayView);
  }
}

/** Texts are in the order of time where they are as long. */
function keyOf({ startedAt, id }: GatewayProcess): string {
  return `${String(startedAt).padStart(16, '0')} ${id}`;
}

function gatewayView({ id, host, pid, version, startedAt, seenAt, openRequests, alive, self }: GatewayProcess): GatewayView {
  return {
    id,
    host,
    pid,
    version,
    started_at: isoTime(startedAt),
    last_seen_at: isoTime(seenAt),
    open_requests: openRequests,
    alive,
    this_process: self,
  };
}
