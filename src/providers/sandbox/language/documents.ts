/**
 * What stands between the turns of a conversation, as context for the model. A marker is no token: it has no text and
 * is never generated.
 */
export const marker = { nothing: -1, text: -2, system: -3, user: -4, assistant: -5, tool: -6 } as const;

export type Marker = (typeof marker)[keyof typeof marker];

/** A text and the marker that it follows. */
export interface Turn {
  readonly marker: Marker;
  readonly text: string;
}

/** One text or one conversation of the corpus. */
export type Document = readonly Turn[];

/**
 * Reads a source of the corpus. Documents stand between lines of three dashes; lines that begin with `Q: ` and `A: `
 * make a conversation, and anything else is prose.
 */
export function readDocuments(source: string): Document[] {
  return source
    .split('\n---\n')
    .map((document) => document.trim())
    .map((document) => (document.startsWith('Q: ') ? readConversation(document) : [{ marker: marker.text, text: document }]));
}

function readConversation(document: string): Document {
  return document
    .split(/\n(?=[QA]: )/)
    .map((turn) => ({ marker: turn.startsWith('Q') ? marker.user : marker.assistant, text: turn.slice('Q: '.length) }));
}
