import { IsInt, IsOptional, ValidateNested } from 'class-validator';
import { ApiError } from '../../common/api-error.js';
import { WireValidationPipe } from './wire-validation.pipe.js';

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
