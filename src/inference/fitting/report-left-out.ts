import { hasMeaning, type ReadMembers, report, reportUnread } from '../../json/unread-members.js';
import { reportProofs } from '../../providers/contract/carried-proofs.js';
import { fileOfPart } from '../../providers/translation/file-of-part.js';
import { fileRead } from '../../providers/translation/read-members.js';
import type { RequestRules } from '../../providers/contract/request-rules.js';
import type { ChatGenerationRequest } from '../../wire/generation.js';
import { contentParts } from './content-parts.js';
import { isTaken } from './fit-messages.js';

/** Members that are reported in another way. */
const untold: ReadonlySet<string> = new Set(['refusal', 'thinking_blocks', 'reasoning_details']);

/** Reports what a vendor does not read of a chat: another vendor's reasoning, and members that it does not have. */
export function reportLeftOut(
  request: ChatGenerationRequest,
  { messageFields: taken, messageNames, files, reads = {} }: RequestRules,
  dropped: (name: string) => void,
): void {
  const reported = new Set<string>();
  for (const name of Object.keys(reads) as (keyof typeof request)[])
    reportUnread(request[name], reads[name] as ReadMembers, name, reported);
  if (files)
    for (const message of request.messages) reportUnread(contentParts(message)?.filter(fileOfPart), fileRead, 'messages.content', reported);
  if (taken) reportProofs(request, { dropped }, (_, member) => member === 'extra_content' || isTaken(member, taken));
  const isLeftOut = (name: string): boolean =>
    (taken !== undefined && !isTaken(name, taken) && !untold.has(name)) || (messageNames === false && name === 'name');
  if (taken || messageNames === false)
    for (const message of request.messages)
      for (const name in message) if (isLeftOut(name) && hasMeaning(message, name)) report(reported, `messages.${name.slice(0, 100)}`);
  reported.forEach(dropped);
}
