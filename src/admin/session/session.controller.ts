import { Body, Delete, Get, HttpCode, Patch, Post, Put } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { OwnSession } from '../../auth/administration/roles.decorator.js';
import { Public } from '../../http/requests/public.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { LinkRequests } from '../../people/sign-in/link-requests.js';
import { SignInService } from '../../people/sign-in/sign-in.service.js';
import { CurrentVisit, type Visit } from '../../people/visit.js';
import { AdminController, Perform } from '../route.decorators.js';
import { UsersService } from '../users/users.service.js';
import { ChangeOwnUserDto, LinkDto, LinkRequestDto, PasswordDto, SignInDto, type SessionView, sessionView } from './session.dto.js';

/** The session of the browser, and whose it is. */
@AdminController('session')
export class SessionController {
  constructor(
    private readonly signIn: SignInService,
    private readonly users: UsersService,
    private readonly linkRequests: LinkRequests,
  ) {}

  /**
   * Signs in with a password. The answer sets a cookie; a session that the browser had before ends.
   * @returns who is signed in
   * @throws ApiError 401 invalid_credentials, 403 permission_denied, 429 rate_limit_exceeded
   */
  @Public()
  @Perform()
  async open(@Body() { email, password }: SignInDto, @CurrentVisit() visit: Visit): Promise<SessionView> {
    return sessionView(await this.signIn.byPassword(visit, email, password));
  }

  /**
   * Signs in with a one-time link. The answer sets a cookie; the link is not valid any more.
   * @returns who is signed in
   * @throws ApiError 401 invalid_credentials, 403 permission_denied, 429 rate_limit_exceeded
   */
  @Public()
  @Perform('link')
  async openByLink(@Body() { token }: LinkDto, @CurrentVisit() visit: Visit): Promise<SessionView> {
    return sessionView(await this.signIn.byLink(visit, token));
  }

  /**
   * Has a one-time link sent to an e-mail address, where somebody signs in with it by password. The answer is the same
   * where nobody does.
   * @throws ApiError 403 permission_denied, 404 not_found where the gateway sends no mail, 429 rate_limit_exceeded
   */
  @Public()
  @Post('link-requests')
  @HttpCode(204)
  async askForLink(@Body() { email }: LinkRequestDto, @CurrentVisit() visit: Visit): Promise<void> {
    await this.linkRequests.take(visit, email);
  }

  /**
   * Shows who is signed in.
   * @returns the person, and what they are a member of
   * @throws ApiError 401 invalid_session
   */
  @Get()
  @OwnSession()
  async current(@CurrentVisit() visit: Visit): Promise<SessionView> {
    return sessionView(await this.signIn.current(visit));
  }

  /**
   * Signs out: the session of this browser ends.
   * @throws ApiError 401 invalid_session
   */
  @Delete()
  @HttpCode(204)
  @OwnSession()
  async close(@CurrentVisit() visit: Visit): Promise<void> {
    await this.signIn.signOut(visit);
  }

  /**
   * Sets the password of whoever is signed in. All their other sessions end.
   * @returns who is signed in
   * @throws ApiError 401 invalid_session, invalid_credentials, 429 rate_limit_exceeded
   */
  @Put('password')
  @OwnSession()
  async setPassword(@Body() { password, current }: PasswordDto, @CurrentVisit() visit: Visit): Promise<SessionView> {
    return sessionView(await this.signIn.setPassword(visit, password, current));
  }

  /**
   * Changes the name of whoever is signed in.
   * @returns who is signed in
   * @throws ApiError 401 invalid_session
   */
  @Patch('user')
  @OwnSession()
  async changeUser(@Body() { name }: ChangeOwnUserDto, @CurrentVisit() visit: Visit, @CurrentDeed() deed: Deed): Promise<SessionView> {
    await this.users.change(deed.actor, { name }, deed);
    return sessionView(await this.signIn.current(visit));
  }
}
