import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min, ValidateNested } from 'class-validator';
import { jsonSchemaOf, validatedOptions } from '../../config/options-schema.js';
import { schemaOfClass } from './class-schema.js';

class Login {
  @IsString()
  user: string;
}

class Options {
  @IsString()
  region: string;

  @IsInt()
  @Min(1)
  @Max(9)
  retries = 2;

  @IsOptional()
  @IsIn(['fast', 'slow'])
  mode?: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Login)
  login?: Login;
}

describe('A class of options', () => {
  const schema = schemaOfClass(Options)!;
  const issues = (value: unknown) =>
    validatedOptions(schema, value).issues?.map(({ path = [], message }) => `${path.map(String).join('.')}: ${message}`);

  it('makes an instance with its defaults', () => {
    const { value } = validatedOptions(schema, { region: 'eu', login: { user: 'me' } });
    expect(value).toBeInstanceOf(Options);
    expect(value).toEqual({ region: 'eu', retries: 2, login: { user: 'me' } });
  });

  it('names each mistake by its place', () => {
    expect(issues({ retries: 10, login: { user: 1 }, retires: 1 })).toEqual([
      'retires: is unknown; did you mean retries?',
      'region: region must be a string',
      'retries: retries must not be greater than 9',
      'login.user: user must be a string',
    ]);
  });

  it('tells its JSON schema', () => {
    expect(jsonSchemaOf(schema)).toEqual({
      type: 'object',
      properties: {
        region: { type: 'string' },
        retries: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
        mode: { enum: ['fast', 'slow'] },
        login: {},
      },
      required: ['region'],
      additionalProperties: false,
    });
  });

  it('is none without a decorator', () => expect(schemaOfClass(class {})).toBeUndefined());
});
