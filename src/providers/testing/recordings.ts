import { existsSync, readFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import type { EncodingFormat } from '../../wire/embedding.js';
import type { ChatGenerationRequest, CompletionGenerationRequest } from '../../wire/generation.js';

/** A recorded exchange with a vendor, and what a response must carry. */
export interface Recording {
  /** In folders behind the first it begins with the folder's name. */
  id: string;
  provider: string;
  wire: string;
  mode: 'json' | 'stream';
  status: number;
  /** Its whole path. */
  file: string;
  headers: Record<string, string>;
  /** The vendor's name of the model, where the manifest tells it. */
  model?: string | null;
  ask: Partial<ChatGenerationRequest> &
    Partial<Omit<CompletionGenerationRequest, 'prompt'>> & {
      prompt?: string | string[];
      input?: string | string[];
      encoding_format?: EncodingFormat;
      /** Further members of a request for a response. */
      responses?: Record<string, unknown> & { tools?: object[] };
    };
  /** Path of what was asked, in the vendor's own format, where the folder has it. */
  native_request?: string;
  expect: {
    error?: { upstream_status: number };
    /** An error in the middle of a stream. */
    stream_error?: object;
    /** The types of the items of a response. */
    items?: string[];
    /** Of the numbers of the first embedding, those at both ends. */
    embeddings?: { count: number; dimensions: number; head: number[]; tail: number[] };
    /** Parts of the usage. */
    details?: { cached?: number; cache_write?: number; reasoning?: number };
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
  /** Absent: embeddings have none. */
  completion_tokens?: number;
  total_tokens: number;
}

/**
 * Folders with manifests, as PATH has its folders. They are no part of the repository; without them, the tests of their
 * recordings are skipped.
 */
const folders = (process.env['SWITCHYARD_RECORDINGS'] ?? '').split(delimiter).filter(Boolean);

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
  return folders.flatMap((folder, at) => {
    const { recordings } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { recordings: Recording[] };
    const prefix = at === 0 ? '' : `${basename(folder)}/`;
    return recordings.map(({ id, file, native_request: asked, ...one }) => ({
      ...one,
      id: prefix + id,
      file: join(folder, file),
      native_request: asked && existsSync(join(folder, asked)) ? join(folder, asked) : undefined,
    }));
  });
}

export function recordedBody({ file }: Recording): Buffer {
  return readFileSync(file);
}

/** Whether it is of the first folder. */
export function isOfFirst({ id }: Recording): boolean {
  return !id.includes('/');
}

/** The arguments of a call, as the manifest has them where they were cut off. */
export function recordedArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { __unparsable__: text };
  }
}

/** The counts of the recording that an answer of `promptTokens` must have. */
export function expectedUsage(
  { expect: { usage, usage_also = [] } }: Recording,
  promptTokens: number | undefined,
): RecordedUsage | undefined {
  return [usage, ...usage_also].find((told) => told?.prompt_tokens === promptTokens) ?? usage ?? undefined;
}

/**
 * Recordings of an answer without anything, which a filter or the vendor has ended. By our contract it is an error where
 * the prompt was blocked or the model broke off.
 */
export function saysNothing({ expect: { choices } }: Recording): boolean {
  return (
    choices?.every(
      ({ text, refusal, tool_calls = [], finish }) =>
        !text && !refusal && tool_calls.length === 0 && finish?.some((word) => word === 'content_filter'),
    ) ?? false
  );
}
