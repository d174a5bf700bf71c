/** Characters of one event at most. */
const MAX_EVENT = 8_000_000;

/**
 * Reads server-sent events as the gateway writes them: each is one `data:` line. Headers that were not known when the head
 * was sent are comments.
 */
export class EventLines {
  readonly headers = new Headers();
  #rest = '';

  /**
   * @param text what has come next, cut anywhere
   * @returns the data of the events that are complete
   * @throws RangeError where an event has more than MAX_EVENT characters
   */
  push(text: string): string[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop()!;
    if (this.#rest.length > MAX_EVENT) throw new RangeError('The gateway sent an event that is too long to be shown.');
    for (const line of lines) {
      const [, name, value] = /^: (x-[\w-]+): (.*)$/.exec(line) ?? [];
      if (name !== undefined) this.headers.set(name, value!);
    }
    return lines.filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length).trim());
  }
}
