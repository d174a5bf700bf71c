import { Type } from 'class-transformer';
import { IsString, ValidateNested } from '../../common/class-validator.js';
import { DtoPipe } from './dto.pipe.js';
import { IsFreeForm } from './free-form.js';
import { MayBeAbsent } from './may-be-absent.js';

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
  @IsFreeForm()
  anything?: Record<string, unknown>;
}

class WiderDto extends OuterDto {
  @IsFreeForm()
  more: object;
}

/** Names that all objects have. */
const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
/** As it is parsed: an own member, whatever its name. */
const withMember = (name: string, value: unknown = 'x'): object => JSON.parse(`{"${name}":${JSON.stringify(value)}}`) as object;

describe('DtoPipe', () => {
  it.each(names)('refuses a member %s that is not declared, at any depth', (name) => {
    const refused = expect.objectContaining({ code: 'invalid_request', message: `property ${name} should not exist` });
    expect(() => new DtoPipe(OuterDto).transform(withMember(name))).toThrow(refused);
    expect(() => new DtoPipe(OuterDto).transform({ inner: withMember(name, { text: 'x' }) })).toThrow(refused);
  });

  it.each(names)('leaves an object of free form as it came, with a member %s in it', (name) => {
    const anything = { ...withMember(name), deeper: [withMember(name, { n: 1 })] };
    const { anything: first, more } = new DtoPipe(WiderDto).transform({ anything, more: withMember(name) });
    expect(JSON.stringify(first)).toBe(JSON.stringify(anything));
    expect(Object.keys(more)).toEqual([name]);
  });

  it('asks for an object there, and makes instances of the rest', () => {
    expect(() => new DtoPipe(OuterDto).transform({ anything: 'x' })).toThrow('anything must be an object');
    expect(() => new DtoPipe(WiderDto).transform({})).toThrow('more must be an object');
    expect(new DtoPipe(OuterDto).transform({ inner: { text: 'x' } }).inner).toBeInstanceOf(InnerDto);
    expect(new DtoPipe(OuterDto).transform(undefined)).toEqual({});
  });
});
