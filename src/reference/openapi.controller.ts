import { Controller, Get, Header, Headers, Res, UseInterceptors } from '@nestjs/common';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { Public } from '../http/requests/public.decorator.js';
import { BuiltFile } from './built-file.js';
import { type Reply, sendBuilt } from './send-built.js';

const JSON_TYPE = 'application/json; charset=utf-8';

@Controller()
@UseInterceptors(ErrorEnvelopeInterceptor)
export class OpenApiController {
  readonly #customers = new BuiltFile('openapi.json');
  readonly #administration = new BuiltFile('openapi-admin.json');

  /**
   * Describes the operations as OpenAPI 3.1.
   * @returns this document
   * @throws ApiError 404 not_found
   */
  @Public()
  @Get('openapi.json')
  @Header('content-type', JSON_TYPE)
  customers(@Headers('if-none-match') known: string | undefined, @Res({ passthrough: true }) reply: Reply): Buffer | undefined {
    return sendBuilt(this.#customers.read(), known, reply);
  }

  /**
   * Describes the operations of the administration as OpenAPI 3.1. Where the administration has a port of its own, that
   * port alone answers this.
   * @returns the document of the administration
   * @throws ApiError 404 not_found
   */
  @Public()
  @Get('admin/v1/openapi.json')
  @Header('content-type', JSON_TYPE)
  administration(@Headers('if-none-match') known: string | undefined, @Res({ passthrough: true }) reply: Reply): Buffer | undefined {
    return sendBuilt(this.#administration.read(), known, reply);
  }
}
