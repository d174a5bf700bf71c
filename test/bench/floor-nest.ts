import 'reflect-metadata';
import {
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  Inject,
  Module,
  type NestInterceptor,
  type PipeTransform,
  Post,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Observable, of } from 'rxjs';
import type { Answer, Pass } from './floor-pass.ts';

const PASS = Symbol('what passes a request on');

const answered = of(undefined);

class Admit implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

class AsItIs implements PipeTransform<unknown> {
  transform(value: unknown): unknown {
    return value;
  }
}

/** Answers by itself, as the gateway's interceptor does. */
class Respond implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<undefined> {
    const [, reply] = context.getArgs<[FastifyRequest, FastifyReply]>();
    reply.hijack();
    next.handle().subscribe({
      next: (value) => {
        const body = JSON.stringify(value);
        reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
      },
      error: () => reply.raw.writeHead(502).end(),
    });
    return answered;
  }
}

const requestOf = createParamDecorator((_data: unknown, context: ExecutionContext) => context.getArgs<[FastifyRequest]>()[0]);

class ChatFloor {
  readonly #pass: Pass;

  constructor(pass: Pass) {
    this.#pass = pass;
  }

  create(body: object, { url, headers }: FastifyRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#pass(url, headers, Buffer.from(JSON.stringify(body)), (error: Error | null, answer?: Answer) => {
        if (answer?.status === 200) resolve(JSON.parse(answer.body.toString()));
        else reject(error ?? new Error(`answered with status ${answer?.status}`));
      });
    });
  }
}

class FloorModule {}

/** Decorators are called, because Node strips types and does not compile decorators. */
function decorate(): void {
  const create = Object.getOwnPropertyDescriptor(ChatFloor.prototype, 'create')!;
  for (const decorator of [Post(), HttpCode(200), UseGuards(Admit), UseInterceptors(Respond)])
    decorator(ChatFloor.prototype, 'create', create as TypedPropertyDescriptor<never>);
  Body(new AsItIs())(ChatFloor.prototype, 'create', 0);
  requestOf()(ChatFloor.prototype, 'create', 1);
  // The gateway's routes have two decorators of their own.
  requestOf()(ChatFloor.prototype, 'create', 2);
  Controller('v1/chat/completions')(ChatFloor);
  Inject(PASS)(ChatFloor, undefined, 0);
}

/**
 * NestJS on Fastify with a guard, an interceptor, a pipe and two decorators of parameters, which parses both bodies and
 * writes both again, and does nothing else.
 * @returns the port
 */
export async function nestFloor(pass: Pass): Promise<string> {
  decorate();
  Module({ controllers: [ChatFloor], providers: [{ provide: PASS, useValue: pass }] })(FloorModule);
  const app = await NestFactory.create<NestFastifyApplication>(FloorModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  return new URL(await app.getUrl()).port;
}
