import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatGenerationRequest, CompletionGenerationRequest } from '../../wire/generation.js';

/** A recorded exchange with a vendor, and what a response must carry. */
export interface Recording {
  id: string;
  wire: string;
  mode: 'json' | 'stream';
  status: number;
  file: string;
  headers: Record<string, string>;
  ask: Partial<ChatGenerationRequest> & Partial<Omit<CompletionGenerationRequest, 'prompt'>> & { prompt?: string | string[] };
  expect: {
    error?: { upstream_status: number };
    choices?: {
      index: number;
      text: string | null;
      reasoning?: string | null;
      refusal?: string | null;
      tool_calls?: { id: string | null; name: string; arguments: unknown }[];
      finish: string[] | null;
      logprobs?: boolean;
    }[];
    usage?: RecordedUsage | null;
    /** Counts of the same answer that are right too: a vendor bills less than its model reads. */
    usage_also?: RecordedUsage[];
    /** Texts that may be those of the answer, where the wire format does not say what is part of it. */
    text_also?: string[];
  };
}

interface RecordedUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

/** A folder with a manifest. It is no part of the repository; without it, the tests of its recordings are skipped. */
const folder = process.env['SWITCHYARD_RECORDINGS'];

/** `describe` for specs about recordings, or, where there are none, what skips them and says why. */
export function describeRecorded(cases: readonly unknown[], title: string, specs: () => void): void {
  if (cases.length > 0) describe(title, specs);
  else describe.skip(`${title} (SWITCHYARD_RECORDINGS names no folder)`, specs);
}

/** Those in wires that are named; none without the folder. */
export function recordingsOf(wires: object): Recording[] {
  return allRecordings().filter(({ wire }) => wire in wires);
}

export function allRecordings(): Recording[] {
  if (!folder) return [];
  return (JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { recordings: Recording[] }).recordings;
}

export function recordedBody({ file }: Recording): Buffer {
  return readFileSync(join(folder ?? '', file));
}

/** The counts of the recording that an answer of `promptTokens` must have. */
export function expectedUsage(
  { expect: { usage, usage_also = [] } }: Recording,
  promptTokens: number | undefined,
): RecordedUsage | undefined {
  return [usage, ...usage_also].find((told) => told?.prompt_tokens === promptTokens) ?? usage ?? undefined;
}

/**
 * Recordings of a blocked prompt, which is an error by our contract, where others end an empty response with
 * content_filter.
 */
export function saysNothing({ expect: { choices = [] } }: Recording): boolean {
  return choices.every(({ text, tool_calls = [], finish }) => !text && tool_calls.length === 0 && finish?.join() === 'content_filter');
}
