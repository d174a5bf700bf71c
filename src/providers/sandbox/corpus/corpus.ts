import { conversation } from './conversation.js';
import { everydayQuestions } from './everyday-questions.js';
import { garden } from './garden.js';
import { homeAndBody } from './home-and-body.js';
import { ideas } from './ideas.js';
import { kitchen } from './kitchen.js';
import { letters } from './letters.js';
import { money } from './money.js';
import { nature } from './nature.js';
import { railways } from './railways.js';
import { sky } from './sky.js';
import { software } from './software.js';
import { stories } from './stories.js';
import { weather } from './weather.js';
import { workshop } from './workshop.js';

/** All texts that the sandbox learns from, written for it. README.md says how to add one. */
export const corpus: readonly string[] = [
  conversation,
  everydayQuestions,
  garden,
  homeAndBody,
  ideas,
  kitchen,
  letters,
  money,
  nature,
  railways,
  sky,
  software,
  stories,
  weather,
  workshop,
];
