import { shifted } from '../../../ui/numbers';

/** A model of a provider as a form has it. Prices are credits per million tokens; empty: as the gateway knows it. */
export interface ModelRow {
  readonly key: string;
  id: string;
  prompt: string;
  completion: string;
  /** Tokens. */
  context: string;
  /** What the setting says now, fields of which the form knows nothing too. */
  readonly given: Readonly<Record<string, unknown>>;
}

let rows = 0;

export const newRow = (id = '', given: ModelRow['given'] = {}): ModelRow => ({ key: String(++rows), id, given, ...shown(given) });

/** The setting `models` as rows; null where it is absent, so that all are offered that the provider lists. */
export function rowsOf(models: unknown): ModelRow[] | null {
  if (typeof models !== 'object' || models === null) return null;
  return Object.entries(models).map(([id, given]) => newRow(id, given as ModelRow['given']));
}

/** The setting `models` that rows say. What was not touched stays as it was. */
export function modelsOf(list: readonly ModelRow[]): Record<string, unknown> {
  return Object.fromEntries(list.map((row) => [row.id.trim(), modelOf(row)]));
}

/** Why rows cannot be used; null where they can. */
export function rowsProblem(list: readonly ModelRow[] | null): string | null {
  if (list === null) return null;
  if (list.length === 0) return 'Add a model, or offer all that it lists.';
  if (list.some(({ id }) => id.trim() === '')) return 'Each model needs the name by which clients ask for it.';
  if (new Set(list.map(({ id }) => id.trim())).size < list.length) return 'Two models have the same name.';
  if (list.some(({ prompt, completion }) => (prompt === '') !== (completion === ''))) return 'Give both prices of a model, or none.';
  if (list.some(({ prompt, completion }) => !isDecimal(prompt) || !isDecimal(completion))) return 'Prices are credits, such as 0.5 or 12.';
  if (list.some(({ context }) => !/^\d*$/.test(context))) return 'The context is a number of tokens.';
  return null;
}

const isDecimal = (text: string): boolean => text === '' || /^\d{1,9}(\.\d{1,6})?$/.test(text);

function modelOf({ given, prompt, completion, context }: ModelRow): Record<string, unknown> {
  const before = shown(given);
  const model: Record<string, unknown> = { ...given };
  if (prompt !== before.prompt || completion !== before.completion) {
    if (prompt === '') delete model['pricing'];
    else model['pricing'] = { ...priceIn(given), prompt: shifted(prompt, -3), completion: shifted(completion, -3) };
  }
  if (context !== before.context) {
    if (context === '') delete model['context_length'];
    else model['context_length'] = Number(context);
  }
  return model;
}

function shown(given: ModelRow['given']): Pick<ModelRow, 'prompt' | 'completion' | 'context'> {
  const { prompt, completion } = priceIn(given);
  const perMillion = (price: unknown): string => (price === undefined ? '' : shifted(price as string | number, 3));
  return { prompt: perMillion(prompt), completion: perMillion(completion), context: String((given['context_length'] as number) ?? '') };
}

const priceIn = (given: ModelRow['given']) => (given['pricing'] ?? {}) as Record<string, unknown>;
