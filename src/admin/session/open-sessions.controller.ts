import { Delete, Get } from '@nestjs/common';
import type { Administrator } from '../../auth/administration/administrator.js';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { CurrentAdministrator, OwnSession } from '../../auth/administration/roles.decorator.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { SessionStore } from '../../people/sessions/session-store.js';
import { AdminController, Id } from '../route.decorators.js';
import type { PageView } from '../page.dto.js';
import { found } from '../preconditions.js';
import { type OpenSessionView, openSessionView } from './session.dto.js';

/** The sessions of whoever is signed in. */
@AdminController('session/sessions')
export class OpenSessionsController {
  constructor(private readonly sessions: SessionStore) {}

  /**
   * Lists the browsers in which whoever is signed in is signed in, newest first.
   * @returns all of them
   * @throws ApiError 401 invalid_session
   */
  @Get()
  @OwnSession()
  async list(@CurrentAdministrator() { id, sessionId }: Administrator): Promise<PageView<OpenSessionView>> {
    const sessions = await this.sessions.list(id);
    return { data: sessions.map((session) => openSessionView(session, sessionId)), next: null };
  }

  /**
   * Signs out in one of these browsers.
   * @returns the session that has ended
   * @throws ApiError 401 invalid_session, 404 not_found
   */
  @Delete(':session')
  @OwnSession()
  async end(
    @Id('session') id: string,
    @CurrentAdministrator() administrator: Administrator,
    @CurrentDeed() deed: Deed,
  ): Promise<OpenSessionView> {
    const sessions = await this.sessions.list(administrator.id);
    const own = sessions.find((one) => one.id === id);
    const session = found('session', id, own);
    await this.sessions.end(administrator.id, id, audited(deed, { fields: ['ended_at'] }));
    return openSessionView(session, administrator.sessionId);
  }
}
