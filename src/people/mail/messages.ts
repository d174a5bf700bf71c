import { displayName } from '../../observability/display-text.js';
import type { Invitation } from '../invitations/invitation-store.js';
import type { Message } from './mailer.js';

/** @param accountName undefined where an operator is invited */
export function invitationMessage({ email, role, expiresAt }: Invitation, accountName: string | undefined, link: string): Message {
  const what = accountName === undefined ? 'be an operator of the gateway' : `join ${oneLine(accountName)} as ${role}`;
  return {
    to: email,
    subject: accountName === undefined ? 'You are invited to Switchyard' : `You are invited to ${oneLine(accountName)}`,
    text: `You are invited to ${what}.\n\n${link}\n\n${until(expiresAt)} If you did not expect this, do nothing.\n`,
  };
}

export function signInMessage(email: string, link: string, expiresAt: number): Message {
  return {
    to: email,
    subject: 'Sign in to Switchyard',
    text: `This link signs you in, once:\n\n${link}\n\n${until(expiresAt)} Do not hand it on.\n`,
  };
}

/** A balance that has fallen; its amounts are credits. */
interface LowBalance {
  readonly accountName: string;
  readonly environment: string;
  readonly balance: string;
  readonly below: string;
}

/** @param page where the account's credits are shown */
export function lowBalanceMessage(to: string, { accountName, environment, balance, below }: LowBalance, page: string): Message {
  const account = oneLine(accountName);
  return {
    to,
    subject: `Credits of ${account} run low`,
    text: `${account} has ${balance} credits left in the ${environment} environment, and you wanted to know when it has less than ${below}.\n\n${page}\n\nYou are told once. It is told again when credits were added and fall as low anew.\n`,
  };
}

function until(time: number): string {
  return `The link is valid until ${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
}

/** Names are chosen by people: no line of theirs becomes one of ours. */
function oneLine(name: string): string {
  return displayName(name.replace(/\s+/gu, ' ').trim());
}
