import {
  applyDecorators,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  Param,
  Post,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { AdminGuard } from '../auth/administration/admin.guard.js';
import { deedOf } from '../auth/administration/deed.decorator.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { EtagInterceptor } from '../http/answers/etag.interceptor.js';
import { DtoPipe } from '../http/requests/dto.pipe.js';
import type { Deed } from '../observability/audit/audit-log.js';
import { NoQueryGuard } from './no-query.guard.js';
import { requireReadable, StoreInterceptor } from './store.interceptor.js';

/**
 * A controller of the administration API, below /admin/v1: each of its routes needs `@Roles`. Bodies and query strings are
 * instances of the classes that the handlers declare for them.
 * @param paths without a slash at their beginning, or empty; routes for members have `:account` in them. Of several
 * paths each has all of its routes.
 */
export const AdminController = (...paths: readonly string[]): ClassDecorator =>
  applyDecorators(
    Controller(paths.map((path) => (path === '' ? 'admin/v1' : `admin/v1/${path}`))),
    UseGuards(AdminGuard, NoQueryGuard),
    UsePipes(new DtoPipe()),
    UseInterceptors(ErrorEnvelopeInterceptor, EtagInterceptor, StoreInterceptor),
  );

/** A route by which something is made or done. It answers 200, as its repetition does. */
export const Perform = (path = ''): MethodDecorator => applyDecorators(Post(path), HttpCode(200));

const readableId = {
  transform(value: string | undefined): string | undefined {
    if (value !== undefined) requireReadable(value);
    return value;
  },
};

/** Injects an id of the address, or undefined where it has none. */
export const Id = (name: string): ParameterDecorator => Param(name, readableId);

/** Who changes something, and on which condition. */
export interface Change extends Deed {
  /** The change is made only where the row still has this version; undefined: whichever it has. */
  readonly ifVersion?: bigint | undefined;
}

/** No row has this version. */
const NONE = -1n;

/**
 * Injects who makes a change by this request, on the condition that the header If-Match names (RFC 9110, section
 * 13.1.1): none where any version will do, and one that nothing fulfils where the header is none of our ETags.
 */
export const IfMatch = createParamDecorator((_data: unknown, execution: ExecutionContext): Change => {
  const [request] = execution.getArgs<Parameters<typeof deedOf>>();
  return Object.assign(deedOf(request), { ifVersion: versionOf(request.headers['if-match']) });
});

function versionOf(header: string | undefined): bigint | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const [, digits] = /^\s*"(\d{1,18})"\s*$/.exec(header) ?? [];
  return digits === undefined ? NONE : BigInt(digits);
}
