export type NumberName = 'temperature' | 'top_p' | 'max_tokens' | 'seed' | 'presence_penalty' | 'frequency_penalty';

export interface NumberField {
  readonly name: NumberName;
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** Digits behind the point. */
  readonly decimals: number;
}

/** The parameters that are numbers, with their bounds in the API. */
export const numberFields: readonly NumberField[] = [
  { name: 'temperature', label: 'Temperature', min: 0, max: 2, step: 0.1, decimals: 3 },
  { name: 'top_p', label: 'Top P', min: 0, max: 1, step: 0.05, decimals: 3 },
  { name: 'max_tokens', label: 'Max tokens', min: 1, max: 10_000_000, step: 64, decimals: 0 },
  { name: 'seed', label: 'Seed', min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, step: 1, decimals: 0 },
  { name: 'presence_penalty', label: 'Presence penalty', min: -2, max: 2, step: 0.1, decimals: 3 },
  { name: 'frequency_penalty', label: 'Frequency penalty', min: -2, max: 2, step: 0.1, decimals: 3 },
];

export type ToolChoice = 'auto' | 'required' | 'none';
export type Format = 'text' | 'json_object' | 'json_schema';

/** What goes with every prompt. Absent numbers are the model's default. */
export interface Settings {
  readonly system: string;
  /** As they were typed: a text is none yet. */
  readonly numbers: Readonly<Partial<Record<NumberName, number | string>>>;
  readonly stop: readonly string[];
  readonly effort: string;
  /** JSON, as it was typed. */
  readonly tools: string;
  readonly toolChoice: ToolChoice;
  readonly format: Format;
  /** JSON, as it was typed. */
  readonly schema: string;
  readonly strict: boolean;
}

export const noSettings: Settings = {
  system: '',
  numbers: {},
  stop: [],
  effort: '',
  tools: '',
  toolChoice: 'auto',
  format: 'text',
  schema: '',
  strict: true,
};

export const exampleTools = `[
  {
    "type": "function",
    "function": {
      "name": "get_weather",
      "description": "The weather of a city",
      "parameters": {
        "type": "object",
        "properties": { "city": { "type": "string" } },
        "required": ["city"],
        "additionalProperties": false
      }
    }
  }
]`;

export const exampleSchema = `{
  "type": "object",
  "properties": {
    "title": { "type": "string" },
    "tags": { "type": "array", "items": { "type": "string" } }
  },
  "required": ["title", "tags"],
  "additionalProperties": false
}`;

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns the tools; a text where what was typed are none. A function alone may stand for its tool. */
export function toolsOf({ tools }: Settings): readonly Json[] | string {
  if (tools.trim() === '') return [];
  const value = parsed(tools);
  if (value === undefined) return 'This is not JSON.';
  const list = (Array.isArray(value) ? value : [value]) as unknown[];
  const found = list.map((one) => (isObject(one) && typeof one['name'] === 'string' ? { type: 'function', function: one } : one));
  const wrong = found.findIndex((one) => !isObject(one) || !isObject(one['function']) || typeof one['function']['name'] !== 'string');
  return wrong === -1 ? (found as Json[]) : `Tool ${wrong + 1} has no function with a name.`;
}

/** @returns the schema; a text where what was typed is none; undefined where none is wanted */
export function schemaOf({ format, schema }: Settings): Json | string | undefined {
  if (format !== 'json_schema') return undefined;
  const value = parsed(schema);
  if (value === undefined) return schema.trim() === '' ? 'Give a JSON schema.' : 'This is not JSON.';
  return isObject(value) ? value : 'A schema is an object.';
}

/** Whether the settings can be sent. */
export const areSound = (settings: Settings): boolean => typeof toolsOf(settings) !== 'string' && typeof schemaOf(settings) !== 'string';

/** The fields of a request's body beside its model and prompt. */
export function parametersOf(settings: Settings, mode: 'chat' | 'completion'): Json {
  const fields: Json = {};
  for (const { name } of numberFields) if (typeof settings.numbers[name] === 'number') fields[name] = settings.numbers[name];
  if (settings.stop.length > 0) fields['stop'] = settings.stop;
  if (mode === 'completion') return fields;
  if (settings.effort.trim() !== '') fields['reasoning_effort'] = settings.effort.trim();
  const tools = toolsOf(settings);
  if (typeof tools !== 'string' && tools.length > 0) {
    fields['tools'] = tools;
    if (settings.toolChoice !== 'auto') fields['tool_choice'] = settings.toolChoice;
  }
  const schema = schemaOf(settings);
  if (settings.format === 'json_object') fields['response_format'] = { type: 'json_object' };
  else if (isObject(schema))
    fields['response_format'] = { type: 'json_schema', json_schema: { name: nameOf(schema), schema, strict: settings.strict } };
  return fields;
}

/** The name that the wire format wants for a schema: its title, as far as it may be one. */
function nameOf({ title }: Json): string {
  const name = typeof title === 'string' ? title.replaceAll(/[^\w-]+/g, '_').slice(0, 64) : '';
  return name === '' ? 'answer' : name;
}
