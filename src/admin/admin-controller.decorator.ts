import { applyDecorators, Controller, UseGuards, UseInterceptors } from '@nestjs/common';
import { AdminGuard } from '../auth/administration/admin.guard.js';
import { ErrorEnvelopeInterceptor } from '../http/answers/error-envelope.interceptor.js';
import { EtagInterceptor } from '../http/answers/etag.interceptor.js';

/**
 * A controller of the administration API, below /admin/v1: each of its routes needs `@Roles`.
 * @param path without a slash at its beginning, or empty; routes for members have `:account` in it
 */
export const AdminController = (path: string): ClassDecorator =>
  applyDecorators(
    Controller(path === '' ? 'admin/v1' : `admin/v1/${path}`),
    UseGuards(AdminGuard),
    UseInterceptors(ErrorEnvelopeInterceptor, EtagInterceptor),
  );
