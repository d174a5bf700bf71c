import * as newest from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import * as old from 'openai-v4';
import { makeParseableResponseFormat } from 'openai-v4/lib/parser';
import type { OpenAIClientKit } from './openai-suite.js';
import { recipe } from './recipe.js';

type Major = Omit<OpenAIClientKit, 'gateway'>;

export const newestOpenAI: Major = {
  name: 'openai 7',
  sdk: newest,
  helpers: ({ chat }) => chat.completions,
  recipeFormat: zodResponseFormat(recipe, 'recipe'),
};

// Its zod helper knows zod 3 alone; what that returns is made by the same function.
const oldRecipeFormat = makeParseableResponseFormat(
  { type: 'json_schema', json_schema: zodResponseFormat(recipe, 'recipe').json_schema },
  (text) => recipe.parse(JSON.parse(text)),
);

export const oldOpenAI: Major = {
  name: 'openai 4',
  sdk: old as unknown as typeof newest,
  helpers: (client) => (client as unknown as { beta: typeof client }).beta.chat.completions,
  recipeFormat: oldRecipeFormat,
};
