import { Controller, Get, Header, Headers, Res, UseInterceptors } from '@nestjs/common';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { Public } from '../http/requests/public.decorator.js';
import { BuiltFile, digestOf } from './built-file.js';
import { type Reply, sendBuilt } from './send-built.js';

/** GET /docs: the description of the API as a page that people read. It loads nothing but the description itself. */
@Controller('docs')
@UseInterceptors(ErrorEnvelopeInterceptor)
export class DocsController {
  readonly #page = new BuiltFile('docs.html');
  #policy: string | undefined;

  /**
   * Shows the description of the API as a page.
   * @returns the page
   * @throws ApiError 404 not_found
   */
  @Public()
  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  page(@Headers('if-none-match') known: string | undefined, @Res({ passthrough: true }) reply: Reply): Buffer | undefined {
    const page = this.#page.read();
    reply.header('content-security-policy', (this.#policy ??= policyOf(page.bytes.toString())));
    return sendBuilt(page, known, reply);
  }
}

/** Allows the style and the script that are in the page, by their digests, and requests to this server. */
function policyOf(page: string): string {
  const digests = (element: string) =>
    Array.from(page.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g')), ([, text]) => `'sha256-${digestOf(text!)}'`).join(
      ' ',
    );
  return [
    "default-src 'none'",
    `script-src ${digests('script')}`,
    `style-src ${digests('style')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
