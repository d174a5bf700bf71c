/** What a protocol does with a parameter: it forwards it, translates it, or has nothing like it. */
type Treatment = 'forwarded' | 'translated' | 'none';

/**
 * What happens to a parameter that a model does not take:
 *
 * - `refused`  it changes the meaning of the response: it is honoured, or answered with 400 before any credit is held
 * - `dropped`  it changes the form of the response: it is left out and named in a response header, or refused where the
 *   operator is strict
 * - `ours`     the gateway does it: `n` by asking several times, `echo` by putting the prompt before the text
 * - `always`   every provider takes it
 */
type Otherwise = 'refused' | 'dropped' | 'ours' | 'always';

interface Row {
  readonly otherwise: Otherwise;
  readonly 'chat-completions': Treatment;
  readonly 'anthropic-messages': Treatment;
  readonly 'gemini-generate-content': Treatment;
}

const row = (otherwise: Otherwise, completions: Treatment, messages: Treatment, generateContent: Treatment): Row => ({
  otherwise,
  'chat-completions': completions,
  'anthropic-messages': messages,
  'gemini-generate-content': generateContent,
});

/**
 * Every optional parameter of the wire format, and what each protocol does with it. A dialect of chat-completions is
 * this table without what a vendor does not take (its preset); a model that takes less says so in
 * `ProviderModel.parameters`.
 */
export const parameters = {
  max_tokens: row('always', 'forwarded', 'translated', 'translated'),
  stop: row('refused', 'forwarded', 'translated', 'translated'),
  n: row('ours', 'forwarded', 'none', 'translated'),
  tools: row('refused', 'forwarded', 'translated', 'translated'),
  tool_choice: row('refused', 'forwarded', 'translated', 'translated'),
  response_format: row('refused', 'forwarded', 'translated', 'translated'),
  logprobs: row('refused', 'forwarded', 'none', 'translated'),
  top_logprobs: row('refused', 'forwarded', 'none', 'translated'),
  suffix: row('refused', 'forwarded', 'none', 'none'),
  echo: row('ours', 'forwarded', 'none', 'none'),
  temperature: row('dropped', 'forwarded', 'translated', 'translated'),
  top_p: row('dropped', 'forwarded', 'translated', 'translated'),
  seed: row('dropped', 'forwarded', 'none', 'translated'),
  presence_penalty: row('dropped', 'forwarded', 'none', 'translated'),
  frequency_penalty: row('dropped', 'forwarded', 'none', 'translated'),
  logit_bias: row('dropped', 'forwarded', 'none', 'none'),
  user: row('dropped', 'forwarded', 'translated', 'none'),
  reasoning_effort: row('dropped', 'forwarded', 'translated', 'translated'),
  parallel_tool_calls: row('dropped', 'forwarded', 'translated', 'none'),
} as const satisfies Record<string, Row>;

export type Parameter = keyof typeof parameters;

export type Protocol = Exclude<keyof Row, 'otherwise'>;

export const parameterNames = Object.keys(parameters) as Parameter[];

/** Stands for every parameter that the wire format does not know. Such parameters are forwarded unchanged. */
export const ANY_OTHER = '*';

/** The parameters that a protocol forwards or translates. */
export function spokenBy(protocol: Protocol): Parameter[] {
  return parameterNames.filter((name) => parameters[name][protocol] !== 'none');
}
