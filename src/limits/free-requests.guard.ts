import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import '../auth/principal.js';
import { generates } from '../http/requests/operation.decorator.js';
import { requestContextOf } from '../http/requests/request-context.js';
import { OpenRequests } from '../http/server/open-requests.js';
import type { Admission } from './admission.js';
import { LimitsService } from './limits.service.js';

/**
 * Counts each request of a key that generates nothing against the limits of requests and of open requests, whatever
 * becomes of it: it costs nothing, and would otherwise be without a bound.
 */
@Injectable()
export class FreeRequestsGuard implements CanActivate {
  readonly #admissions = new WeakMap<FastifyRequest, Admission>();

  constructor(
    private readonly limits: LimitsService,
    open: OpenRequests,
  ) {
    open.onEnd(({ request }) => this.#admissions.get(request)?.settle(0));
  }

  /** @throws ApiError 429 rate_limit_exceeded */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const [request] = context.getArgs<[FastifyRequest]>();
    const limits = request.principal?.rules?.limits;
    if (!limits?.length || generates(request)) return true;
    const admitted = this.limits.admitFree(limits, requestContextOf(request));
    const begin = (admission: Admission): true => {
      // Its client may have left meanwhile.
      if (request.raw.socket.destroyed) admission.settle(0);
      else this.#admissions.set(request, admission);
      return true;
    };
    return admitted instanceof Promise ? admitted.then(begin) : begin(admitted);
  }
}
