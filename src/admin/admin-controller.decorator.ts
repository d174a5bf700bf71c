import { applyDecorators, Controller, HttpCode, Post, UseGuards, UseInterceptors, UsePipes } from '@nestjs/common';
import { AdminGuard } from '../auth/administration/admin.guard.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { EtagInterceptor } from '../http/answers/etag.interceptor.js';
import { DtoPipe } from '../http/requests/dto.pipe.js';
import { NoQueryGuard } from './no-query.guard.js';
import { StoreInterceptor } from './store.interceptor.js';

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
