/**
 * The JSON of `generateContent` and `streamGenerateContent`, as far as the gateway uses it. Names and nesting are
 * Google's (Gemini API v1beta, read 2026-11-21; Vertex AI answers in the same form).
 */
export interface GenerateContentRequest {
  contents: Content[];
  systemInstruction?: { parts: Part[] };
  tools?: { functionDeclarations: FunctionDeclaration[] }[];
  toolConfig?: { functionCallingConfig: { mode: 'AUTO' | 'NONE' | 'ANY' | 'VALIDATED'; allowedFunctionNames?: string[] } };
  safetySettings?: unknown[];
  /** `flex`, `standard` or `priority`. */
  serviceTier?: string;
  generationConfig?: GenerationConfig;
}

export interface Content {
  role: 'user' | 'model';
  parts: Part[];
}

export interface Blob {
  mimeType: string;
  /** Base64. */
  data: string;
}

/** Exactly one of text, inlineData, fileData, functionCall and functionResponse is set. */
export interface Part {
  text?: string;
  /** Opaque. It must be sent back in the part that it came with. */
  thoughtSignature?: string;
  inlineData?: Blob;
  fileData?: { mimeType: string; fileUri: string };
  functionCall?: { id?: string; name: string; args: Record<string, unknown> };
  functionResponse?: { id?: string; name: string; response: Record<string, unknown>; parts?: { inlineData: Blob }[] };
}

export interface FunctionDeclaration {
  name: string;
  description?: string;
  parametersJsonSchema?: Record<string, unknown>;
}

export interface ThinkingConfig {
  includeThoughts?: boolean;
  /** Tokens; 0 switches thinking off, -1 leaves it to the model. Gemini 2.5. */
  thinkingBudget?: number;
  /** Gemini 3 and later; excludes `thinkingBudget`. */
  thinkingLevel?: string;
}

export interface GenerationConfig {
  temperature?: number;
  topP?: number;
  topK?: number;
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  maxOutputTokens?: number;
  candidateCount?: number;
  /** At most 5. */
  stopSequences?: string[];
  responseLogprobs?: boolean;
  /** Most likely tokens to report, 1 to 20. */
  logprobs?: number;
  responseMimeType?: string;
  responseJsonSchema?: Record<string, unknown>;
  thinkingConfig?: ThinkingConfig;
}

/** No member of a response is certain to be there: protobuf leaves out members that have their default value. */
export interface GenerateContentResponse {
  candidates?: Candidate[] | null;
  promptFeedback?: { blockReason?: string; blockReasonMessage?: string } | null;
  usageMetadata?: UsageMetadata | null;
  error?: unknown;
}

export interface Candidate {
  index?: number;
  content?: { parts?: (ResponsePart | null)[] | null } | null;
  finishReason?: string | null;
  logprobsResult?: LogprobsResult | null;
}

export interface ResponsePart {
  text?: string;
  /** The text is the model's reasoning, not its answer. */
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> | null } | null;
}

export interface LogprobsResult {
  chosenCandidates?: TokenCandidate[] | null;
  topCandidates?: { candidates?: TokenCandidate[] | null }[] | null;
}

export interface TokenCandidate {
  token?: string;
  logProbability?: number;
}

/** Tokens, counted from the beginning of the answer. */
export interface UsageMetadata {
  promptTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
  toolUsePromptTokenCount?: number;
  cachedContentTokenCount?: number;
  totalTokenCount?: number;
  promptTokensDetails?: readonly ModalityTokens[];
  cacheTokensDetails?: readonly ModalityTokens[];
  toolUsePromptTokensDetails?: readonly ModalityTokens[];
  candidatesTokensDetails?: readonly ModalityTokens[];
  /** At the Gemini API. */
  serviceTier?: string;
  /** At Vertex AI: `ON_DEMAND`, `ON_DEMAND_FLEX`, `ON_DEMAND_PRIORITY`, `PROVISIONED_THROUGHPUT` ... */
  trafficType?: string;
}

/** Those of a count that are of one modality: TEXT, IMAGE, VIDEO, AUDIO or DOCUMENT. */
export interface ModalityTokens {
  modality?: string;
  tokenCount?: number;
}
