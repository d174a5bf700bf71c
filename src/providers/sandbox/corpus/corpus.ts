import { conversation } from './conversation.js';
import { everydayQuestions } from './everyday-questions.js';
import { kitchen } from './kitchen.js';
import { nature } from './nature.js';
import { railways } from './railways.js';
import { sky } from './sky.js';
import { weather } from './weather.js';

/** All texts that the sandbox learns from, written for it. README.md says how to add one. */
export const corpus: readonly string[] = [conversation, everydayQuestions, kitchen, nature, railways, sky, weather];
