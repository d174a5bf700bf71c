import type { Readable } from 'node:stream';
import { Get, Header, Query, Res } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { AdminController, Id } from '../route.decorators.js';
import { RequestFilterDto } from './request.dto.js';
import { csv, type ExportForm, jsonLines } from './request-export.js';
import { RequestExports } from './request-exports.service.js';

interface Reply {
  header(name: string, value: string): unknown;
}

/** The requests of one account as files. */
@AdminController('accounts/:account')
export class RequestExportsController {
  constructor(private readonly exports: RequestExports) {}

  /**
   * Writes the requests of an account as CSV, newest first. The filters are those of the list; there are at most
   * 100,000 requests. `x-switchyard-rows` tells how many follow. A text that a spreadsheet would take for a formula
   * has an apostrophe before it.
   * @returns the file, which breaks off without its end where the store fails
   * @throws ApiError 400 invalid_request, 404 not_found, 503 service_unavailable
   */
  @Get('requests.csv')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  @Header('content-type', 'text/csv; charset=utf-8')
  csv(@Id('account') account: string, @Query() query: RequestFilterDto, @Res({ passthrough: true }) reply: Reply): Promise<Readable> {
    return this.#begin(account, query, csv, reply, 'requests.csv');
  }

  /**
   * Writes the requests of an account as JSON lines, newest first. The filters are those of the list; there are at
   * most 100,000 requests. `x-switchyard-rows` tells how many lines follow.
   * @returns the file, which breaks off without its end where the store fails
   * @throws ApiError 400 invalid_request, 404 not_found, 503 service_unavailable
   */
  @Get('requests.jsonl')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  @Header('content-type', 'application/jsonl; charset=utf-8')
  jsonLines(@Id('account') account: string, @Query() query: RequestFilterDto, @Res({ passthrough: true }) reply: Reply): Promise<Readable> {
    return this.#begin(account, query, jsonLines, reply, 'requests.jsonl');
  }

  async #begin(account: string, query: RequestFilterDto, form: ExportForm, reply: Reply, name: string): Promise<Readable> {
    const { count, text } = await this.exports.begin(account, query, form);
    reply.header('content-disposition', `attachment; filename="${name}"`);
    reply.header('x-switchyard-rows', String(count));
    return text;
  }
}
