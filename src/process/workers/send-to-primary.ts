import type { ToPrimary } from './messages.js';

/**
 * Sends a message from a worker to its primary process. A worker whose primary process is gone ends by itself, so a
 * failure is ignored.
 * @param then called when the message has been written or could not be
 */
export function sendToPrimary(message: ToPrimary, then: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, then);
}
