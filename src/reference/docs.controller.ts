import { Controller, Get, Header, Headers, Res, UseInterceptors } from '@nestjs/common';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { Public } from '../http/requests/public.decorator.js';
import { BuiltFile } from './built-file.js';
import { type Reply, sendBuilt } from './send-built.js';

/** Allows what this server answers, and the pictures in the style. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** GET /docs: the description of the API as a page that people read. It loads nothing from other servers. */
@Controller('docs')
@UseInterceptors(ErrorEnvelopeInterceptor)
export class DocsController {
  readonly #page = new BuiltFile('docs.html');
  readonly #script = new BuiltFile('docs.js');
  readonly #style = new BuiltFile('docs.css');

  /**
   * Shows the description of the API as a page.
   * @returns the page
   * @throws ApiError 404 not_found
   */
  @Public()
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', POLICY)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  page(@Headers('if-none-match') known: string | undefined, @Res({ passthrough: true }) reply: Reply): Buffer | undefined {
    return sendBuilt(this.#page.read(), known, reply);
  }

  /**
   * Answers the script of the page.
   * @returns the file
   * @throws ApiError 404 not_found
   */
  @Public()
  @Get('page.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Header('x-content-type-options', 'nosniff')
  script(@Headers('if-none-match') known: string | undefined, @Res({ passthrough: true }) reply: Reply): Buffer | undefined {
    return sendBuilt(this.#script.read(), known, reply);
  }

  /**
   * Answers the style of the page.
   * @returns the file
   * @throws ApiError 404 not_found
   */
  @Public()
  @Get('page.css')
  @Header('content-type', 'text/css; charset=utf-8')
  @Header('x-content-type-options', 'nosniff')
  style(@Headers('if-none-match') known: string | undefined, @Res({ passthrough: true }) reply: Reply): Buffer | undefined {
    return sendBuilt(this.#style.read(), known, reply);
  }
}
