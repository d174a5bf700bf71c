import { Controller, Get, Module, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import * as fc from 'fast-check';
import { systemClock } from '../common/time/clock.js';
import { ClockModule } from '../common/time/clock.module.js';
import { HttpModule } from '../http/http.module.js';
import { Public } from '../http/requests/public.decorator.js';
import { ConfigModule } from '../config/config.module.js';
import { TemporaryStore } from '../database/testing/temporary-store.js';
import { AccountStore } from './account-store.js';
import { ApiKeyStore } from './api-key-store.js';
import { AuthModule } from './auth.module.js';
import type { Principal } from './principal.js';
import { bearerToken } from './bearer.js';

@Controller()
class WhoController {
  @Get('who')
  who(@Req() { principal }: FastifyRequest): Principal {
    return principal!;
  }

  @Public()
  @Get('open')
  open(@Req() { principal }: FastifyRequest): { principal: Principal | null } {
    return { principal: principal ?? null };
  }
}

describe('the guard of the API keys', () => {
  let store: TemporaryStore;
  let app: NestFastifyApplication;

  beforeAll(async () => {
    store = new TemporaryStore();
    @Module({
      imports: [ConfigModule.forRoot(store.config), ClockModule.forRoot(systemClock), HttpModule, AuthModule],
      controllers: [WhoController],
    })
    class WhoModule {}
    app = await NestFactory.create<NestFastifyApplication>(WhoModule, new FastifyAdapter(), { logger: false });
    await app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await app.close();
    await store.remove();
  });

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${await app.getUrl()}${path}`, { headers });
    return { status: response.status, body: await response.json() };
  };

  it('lets a key through and hands on whose it is', async () => {
    const account = await app.get(AccountStore).create('Acme');
    const { key, apiKey } = await app.get(ApiKeyStore).create({ accountId: account.id, environment: 'test' });
    expect(await get('/who', { authorization: `Bearer ${key}` })).toEqual({
      status: 200,
      body: { keyId: apiKey.id, accountId: account.id, environment: 'test' },
    });
  });

  it('answers the specification’s 401 otherwise', async () => {
    expect(await get('/who')).toEqual({
      status: 401,
      body: { error: { message: 'No API key provided', type: 'authentication_error', code: 'missing_api_key' } },
    });
    expect(await get('/who', { authorization: 'Bearer wrong' })).toEqual({
      status: 401,
      body: { error: { message: 'Invalid API key provided', type: 'authentication_error', code: 'invalid_api_key' } },
    });
  });

  it('asks nothing of a public route', async () => {
    expect(await get('/open')).toEqual({ status: 200, body: { principal: null } });
  });
});

describe('the Authorization header', () => {
  it.each([
    ['Bearer sy-live-1', 'sy-live-1'],
    ['bearer sy-live-1', 'sy-live-1'],
    ['BEARER   sy-live-1  ', 'sy-live-1'],
    [' Bearer\tsy-live-1', 'sy-live-1'],
  ])('%j carries a key', (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });

  it.each([undefined, '', '   ', 'Bearer', 'Bearer ', 'bearer    '])('%j carries none', (header) => {
    expect(bearerToken(header)).toBe('');
  });

  it.each(['Basic c3k6bGl2ZQ==', 'sy-live-1', 'Bearer:sy-live-1', 'Token sy-live-1'])('%j is of another scheme', (header) => {
    expect(bearerToken(header)).toBe(`other scheme: ${header}`);
  });

  it('bounds what is looked at, whatever arrives', () => {
    fc.assert(fc.property(fc.string({ maxLength: 2_000, unit: 'binary' }), (header) => bearerToken(header).length <= 530));
    expect(bearerToken(`Bearer ${'a'.repeat(100_000)}`)).toHaveLength(512 - 'Bearer '.length);
  });
});
