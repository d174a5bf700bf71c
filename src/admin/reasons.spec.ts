import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { BudgetsDto, RulesDto } from '../auth/rules/rules.dto.js';
import { getMetadataStorage, validateSync } from '../common/class-validator.js';
import { DtoPipe } from '../http/requests/dto.pipe.js';
import './admin.module.js';
import { CreateKeyHolderDto } from './key-holder.dto.js';
import { CreateKeyDto, RotateKeyDto } from './keys/key.dto.js';
import { InviteOperatorDto } from './members/member.dto.js';
import { PageDto } from './page.dto.js';
import { TryProviderDto } from './providers/provider.dto.js';
import { SignInDto } from './session/session.dto.js';
import { UsageQueryDto } from './usage/usage.dto.js';
import { CreateWebhookDto, RotateWebhookDto } from './webhooks/webhook.dto.js';
import { csvLine } from './csv-line.js';

const reasonOf = (dto: Type<object>, body: unknown): string => {
  try {
    new DtoPipe(dto).transform(body);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the reason why a field is refused', () => {
  const named = (rules: object) => ({ name: 'x', rules });

  it.each<[Type<object>, unknown, string]>([
    [CreateKeyHolderDto, {}, 'name must be a text'],
    [CreateKeyHolderDto, null, 'name must be a text'],
    [CreateKeyHolderDto, { name: 5 }, 'name must be a text'],
    [CreateKeyHolderDto, { name: null }, 'name must be a text'],
    [CreateKeyHolderDto, { name: ['a'] }, 'name must be a text'],
    [CreateKeyHolderDto, { name: '' }, 'name must be longer than or equal to 1 characters'],
    [CreateKeyHolderDto, { name: 'x'.repeat(201) }, 'name must be shorter than or equal to 200 characters'],
    [CreateKeyHolderDto, { name: 'a\0b' }, 'name must not contain NUL'],
    [SignInDto, {}, 'email must be a text'],
    [InviteOperatorDto, {}, 'email must be a text'],
    [CreateWebhookDto, {}, 'url must be a text'],
    [CreateWebhookDto, { url: 'https://x', events: 'key.revoked' }, 'events must be an array'],
    [CreateKeyDto, { environment: 'test', project_id: 5 }, 'project_id must be a text'],
    [RotateKeyDto, { grace_seconds: '5' }, 'grace_seconds must be an integer number'],
    [RotateWebhookDto, { grace_seconds: null }, 'grace_seconds must be an integer number'],
    [TryProviderDto, { max_tokens: 'many' }, 'max_tokens must be an integer number'],
    [TryProviderDto, { timeout: 1.5 }, 'timeout must be an integer number'],
    [PageDto, { limit: 'x' }, 'limit must be a whole number from 1 to 200'],
    [UsageQueryDto, { by: { 0: 'day' } }, 'by must be an array'],
    [CreateKeyHolderDto, named({ requests_per_minute: '5' }), 'rules.requests_per_minute must be an integer number'],
    [CreateKeyHolderDto, named({ concurrency: 2_000_000_000 }), 'rules.concurrency must not be greater than 1000000000'],
    [CreateKeyHolderDto, named({ burst_seconds: null }), 'rules.burst_seconds must be a number'],
    [CreateKeyHolderDto, named({ burst_seconds: 0 }), 'rules.burst_seconds must not be less than 1'],
    [CreateKeyHolderDto, named({ operations: 'chat' }), 'rules.operations must be an array'],
    [CreateKeyHolderDto, named({ addresses: '10.0.0.1' }), 'rules.addresses must be an array'],
    [CreateKeyHolderDto, named({ models: { allow: [5] } }), 'each value in allow must be a string'],
    [CreateKeyHolderDto, { name: 'x', rules: 5 }, 'rules must be an object'],
  ])('in %p is its type before its bounds: %j', (dto, body, reason) => {
    expect(reasonOf(dto, body)).toContain(reason);
  });

  it('is its type before its bounds in each body and query that there is', () => {
    const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: ReadonlyMap<Type<object>, unknown> };
    const dtos = [...validationMetadatas.keys()].filter((dto) => dto.name.endsWith('Dto'));
    expect(dtos).toEqual(expect.arrayContaining([CreateKeyHolderDto, RulesDto, BudgetsDto, PageDto, SignInDto]));
    const fieldsOf = (dto: Type) => [
      ...new Set(
        getMetadataStorage()
          .getTargetValidationMetadatas(dto, '', false, false)
          .map((one) => one.propertyName),
      ),
    ];
    const wrong = [];
    for (const dto of dtos)
      for (const field of fieldsOf(dto))
        for (const value of [undefined, null]) {
          const errors = validateSync(Object.assign(plainToInstance(dto, {}), { [field]: value }), { stopAtFirstError: true });
          const [reason = ''] = Object.values(errors.find(({ property }) => property === field)?.constraints ?? {});
          if (/must not|contain|longer|shorter|each value/.test(reason)) wrong.push(`${dto.name}: ${reason}`);
        }
    expect(wrong).toEqual([]);
  });
});

describe('csvLine', () => {
  it.each([
    ['plain', 'plain'],
    ['with, comma', '"with, comma"'],
    ['with "quotes"', '"with ""quotes"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1 (555)', "'+1 (555)"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['\t=1', "'\t=1"],
    [' =cmd|"/c calc"!A0', `"' =cmd|""/c calc""!A0"`],
    ['\r=1', `"'\r=1"`],
    ['＝1+1', "'＝1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a; \t@b', `a; \t'@b`],
    ['a;b', 'a;b'],
    ['-0.000000001', '-0.000000001'],
    [-5, '-5'],
    [null, ''],
    [undefined, ''],
    [false, 'false'],
    [['a', 'b'], 'a b'],
    [['=a', 'b'], "'=a b"],
  ])('writes %j as %s', (value, text) => {
    expect(csvLine([1, value])).toBe(`1,${text}\r\n`);
  });
});
