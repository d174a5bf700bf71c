import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { BudgetsDto, RulesDto } from '../auth/rules/rules.dto.js';
import { getMetadataStorage, validateSync } from '../common/validation/class-validator.js';
import { dtoOf } from '../http/requests/dto.pipe.js';
import './admin.module.js';
import { CreateKeyHolderDto } from './key-holder.dto.js';
import { CreateKeyDto, RotateKeyDto } from './keys/key.dto.js';
import { InviteDto } from './members/member.dto.js';
import { PageDto } from './page.dto.js';
import { TryProviderDto } from './providers/provider.dto.js';
import { SignInDto } from './session/session.dto.js';
import { UsageQueryDto } from './usage/usage.dto.js';
import { CreateWebhookDto, RotateWebhookDto } from './webhooks/webhook.dto.js';
import fc from 'fast-check';
import { samples } from '../common/testing/long-form.js';
import { csvLine } from './csv-line.js';

const reasonOf = (dto: Type<object>, body: unknown): string => {
  try {
    dtoOf(dto, body);
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
    [InviteDto, {}, 'email must be a text'],
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

/** The cells of a line, split at this separator, with or without regard to quotes. */
function cellsOf(line: string, separator: string, quotes: boolean): string[] {
  // The ends of lines are no part of what is in them.
  const whole = line.replace(/\r\n$/, '');
  if (!quotes) return whole.split(separator);
  const cells = [''];
  let state: 'begin' | 'plain' | 'quoted' | 'closed' = 'begin';
  for (const char of whole) {
    if (state === 'begin' && char === '"') state = 'quoted';
    else if (state === 'quoted' && char === '"') state = 'closed';
    else if (state !== 'quoted' && char === separator) {
      state = 'begin';
      cells.push('');
    } else {
      // Behind a closing quote another one stands for itself, and anything else is taken as it is.
      state = state === 'quoted' || (state === 'closed' && char === '"') ? 'quoted' : 'plain';
      cells[cells.length - 1] += char;
    }
  }
  return cells;
}

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
    ['\t=1', "'\t'=1"],
    [' =cmd|"/c calc"!A0', `"' =cmd|""/c calc""!A0"`],
    ['\r=1', `"'\r'=1"`],
    ['＝1+1', "'＝1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a; \t@b', `a;' \t'@b`],
    [';=1;', ";'=1;"],
    ['a,=1', `"a,'=1"`],
    ['a\r\n=1', `"a\r\n'=1"`],
    ['a;"-1', `"a;'""-1"`],
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

  it('has no cell that is a formula, by whatever and however it is split', () => {
    const text = fc.string({
      unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', ',', ';', '|', '"', ' ', "'", 'a', '1', '＝'),
      maxLength: 12,
    });
    const number = fc.oneof(fc.integer(), fc.constantFrom('-0.5', '-12'));
    const other = fc.oneof(text, number, fc.array(text, { maxLength: 2 }));
    // The first column is an id or a time.
    const line = fc
      .tuple(
        text.map((id) => `x${id}`),
        fc.array(other, { maxLength: 4 }),
      )
      .map(([id, others]) => csvLine([id, ...others]));
    const formula = /^(\s*[=+@＝]|\s*-(?!\d+(\.\d+)?\s*$)|[\t\r])/;
    fc.assert(
      fc.property(line, fc.constantFrom(',', ';', '|', '\t', '\r', '\n'), fc.boolean(), (written, separator, quotes) => {
        expect(cellsOf(written, separator, quotes).filter((cell) => formula.test(cell))).toEqual([]);
      }),
      { numRuns: samples(20_000) },
    );
  });
});
