import { IsInt, IsOptional } from 'class-validator';
import { ApiError } from '../../common/api-error.js';
import { WireValidationPipe } from './wire-validation.pipe.js';
import { Expose, Type } from 'class-transformer';
import { IsObject, IsString, ValidateNested } from '../../common/validation/class-validator.js';
import { dtoOf } from './dto.pipe.js';
import { MayBeAbsent } from './may-be-absent.js';

class Body {
  @IsOptional()
  @IsInt({ message: 'n must be an integer' })
  n?: number;

  @IsOptional()
  @IsInt({ message: 'm must be an integer', context: { error: () => new ApiError('invalid_prompt', 'own words') } })
  m?: number;
}

class OpenBody extends Body {
  extra?: Record<string, unknown>;
}

class NestedBody {
  @ValidateNested()
  n?: Body;
}

const pipe = new WireValidationPipe(Body);

describe('WireValidationPipe', () => {
  it('collects undeclared fields where it is asked to, with nested values unchanged', () => {
    const messages = [{ role: 'user' }];
    const body = new WireValidationPipe(OpenBody, 'extra').transform({ n: 1, messages });
    expect(body).toBeInstanceOf(OpenBody);
    expect(body).toEqual({ n: 1, extra: { messages } });
    expect(body.extra!.messages).toBe(messages);
  });

  it('ignores undeclared fields otherwise', () => {
    expect(pipe.transform({ n: 1, other: 2 })).toEqual({ n: 1 });
  });

  it('refuses a class with rules about nested values', () => {
    expect(() => new WireValidationPipe(NestedBody)).toThrow('NestedBody.n');
  });

  it('refuses with the error of the first wrong field', () => {
    expect(() => pipe.transform({ n: '1', m: 'x' })).toThrow('n must be an integer');
  });

  it('lets a constraint make its own error', () => {
    expect(() => pipe.transform({ m: 'x' })).toThrow(expect.objectContaining({ code: 'invalid_prompt', message: 'own words' }));
  });

  it.each([
    [[], 'must be a JSON object'],
    [null, 'must be a JSON object'],
    ['text', 'must be a JSON object'],
    [undefined, 'is empty'],
  ])('refuses %p as a body', (value, message) => {
    expect(() => pipe.transform(value)).toThrow(message);
  });

  it('cannot be disabled by a field with a name that class-validator uses', () => {
    expect(() => pipe.transform({ n: 'x', constructor: 'Object' })).toThrow(ApiError);
    expect(() => pipe.transform(JSON.parse('{"n":"x","__proto__":{}}'))).toThrow(ApiError);
  });
});

class InnerDto {
  @MayBeAbsent()
  @IsString()
  text?: string;
}

class OuterDto {
  @MayBeAbsent()
  @ValidateNested()
  @Type(() => InnerDto)
  inner?: InnerDto;

  @MayBeAbsent()
  @IsObject()
  anything?: Record<string, unknown>;
}

class WiderDto extends OuterDto {
  @IsObject()
  more: object;
}

class RenamedDto {
  @Expose({ name: 'from' })
  @MayBeAbsent()
  @IsString()
  since?: string;
}

/** Names that all objects have. */
const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
/** As it is parsed: an own member, whatever its name. */
const withMember = (name: string, value: unknown = 'x'): object => JSON.parse(`{"${name}":${JSON.stringify(value)}}`) as object;

describe('dtoOf', () => {
  it.each(names)('refuses a member %s that is not declared, at any depth', (name) => {
    const refused = (where: string) =>
      expect.objectContaining({ code: 'invalid_request', message: `${where}property ${name} should not exist` }) as Error;
    expect(() => dtoOf(OuterDto, withMember(name))).toThrow(refused(''));
    expect(() => dtoOf(OuterDto, { inner: withMember(name, { text: 'x' }) })).toThrow(refused('inner.'));
  });

  it('tells the near name of a member that is not declared, at any depth', () => {
    expect(() => dtoOf(OuterDto, { iner: {} })).toThrow('property iner should not exist; did you mean inner?');
    expect(() => dtoOf(OuterDto, { inner: { txet: '' } })).toThrow('inner.property txet should not exist; did you mean text?');
    expect(() => dtoOf(RenamedDto, { form: 1 })).toThrow('property form should not exist; did you mean from?');
  });

  it.each(names)('leaves an object of free form as it came, with a member %s in it', (name) => {
    const anything = { ...withMember(name), deeper: [withMember(name, { n: 1 })] };
    const { anything: first, more } = dtoOf(WiderDto, { anything, more: withMember(name) });
    expect(JSON.stringify(first)).toBe(JSON.stringify(anything));
    expect(Object.keys(more)).toEqual([name]);
  });

  it('asks for an object there, and makes instances of the rest', () => {
    expect(() => dtoOf(OuterDto, { anything: 'x' })).toThrow('anything must be an object');
    expect(() => dtoOf(WiderDto, {})).toThrow('more must be an object');
    expect(dtoOf(OuterDto, { inner: { text: 'x' } }).inner).toBeInstanceOf(InnerDto);
    expect(dtoOf(OuterDto, undefined)).toEqual({});
  });
});
