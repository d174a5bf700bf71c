import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Controller, Get, Header, Headers, Param, Res, UseInterceptors } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiError } from '../common/api-error.js';
import { ConfigService } from '../config/config.service.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { Public } from '../http/requests/public.decorator.js';
import type { GatewayAdapter } from '../http/server/gateway-adapter.js';
import { BuiltFiles } from './built-files.js';

interface Reply {
  header(name: string, value: string): unknown;
}

/** GET /dashboard: the page, whose addresses below are its own. It calls the administration API. */
@Controller('dashboard')
@UseInterceptors(ErrorEnvelopeInterceptor)
export class DashboardController {
  readonly #files = new BuiltFiles(join(import.meta.dirname, 'built'));

  constructor(
    private readonly config: ConfigService,
    private readonly adapter: HttpAdapterHost<GatewayAdapter>,
  ) {}

  /**
   * Answers a script, a style or a font of the page.
   * @returns the file
   * @throws ApiError 404 not_found
   */
  @Public()
  @Get('assets/:file')
  @Header('x-content-type-options', 'nosniff')
  @Header('vary', 'accept-encoding')
  async asset(
    @Param('file') name: string,
    @Headers('accept-encoding') accepted: string | undefined,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<Buffer> {
    const asset = await this.#files.asset(name, accepted);
    if (!asset) throw new ApiError('not_found', 'No such file. A newer version may have replaced it: load the page again.');
    reply.header('content-type', asset.type);
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    if (asset.encoding !== undefined) reply.header('content-encoding', asset.encoding);
    return asset.bytes;
  }

  /**
   * Shows the dashboard.
   * @returns the page
   * @throws ApiError 404 not_found
   */
  @Public()
  @Get(['', '*'])
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('x-content-type-options', 'nosniff')
  @Header('x-frame-options', 'DENY')
  @Header('referrer-policy', 'no-referrer')
  @Header('cross-origin-opener-policy', 'same-origin')
  @Header('cache-control', 'no-store')
  async page(@Res({ passthrough: true }) reply: Reply): Promise<string> {
    const page = await this.#files.page();
    if (page === undefined) throw new ApiError('not_found', 'The dashboard is made by npm run build, and this program was not built.');
    const nonce = randomBytes(16).toString('base64');
    reply.header('content-security-policy', policyWith(nonce));
    return page.replaceAll('__NONCE__', nonce).replaceAll('__API__', () => this.#api());
  }

  /** Where clients reach the API: its public address, its port where the page is on another one, or '' for the page's. */
  #api(): string {
    const { public_url, admin_port } = this.config.current.server;
    // An address may have been written with quotes, which its normal form has not.
    if (public_url !== undefined) return new URL(public_url).href.replace(/\/+$/, '');
    return admin_port === undefined ? '' : String(this.adapter.httpAdapter.port);
  }
}

/** Allows what this server answers. Styles that components make as they are shown have the nonce of the page. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
