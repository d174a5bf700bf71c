import { isDeepStrictEqual } from 'node:util';
import { answerMembers, type AnswerMembers as Told } from '../../../wire/answer-members.js';
import type { JsonObject } from '../../../wire/json-object.js';

/** Collects the members of an answer beside its choices, which vendors repeat with each event. */
export class AnswerMembers {
  #told: Told | undefined;
  #news: Told | undefined;

  see(event: JsonObject): void {
    for (const name of answerMembers) {
      const value = event[name];
      if (value === undefined || value === null || (this.#told && isDeepStrictEqual(this.#told[name], value))) continue;
      (this.#told ??= {})[name] = value;
      (this.#news ??= {})[name] = value;
    }
  }

  /** What has come, or changed, since this was last called. */
  news(): Told | undefined {
    const news = this.#news;
    this.#news = undefined;
    return news;
  }
}
