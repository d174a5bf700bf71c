import { IsBoolean } from '../../common/validation/class-validator.js';
import type { Person } from '../../people/person.js';
import { IsText, isoTime, MayBeAbsent } from '../fields.js';

export class ChangeUserDto {
  @MayBeAbsent(IsText(320))
  email?: string;

  @MayBeAbsent(IsText(200))
  name?: string;

  /** True: signed out everywhere, and cannot sign in. */
  @MayBeAbsent(IsBoolean())
  disabled?: boolean;
}

/** Somebody who signs in. */
export class UserView {
  id: string;
  email: string;
  name: string;
  operator: boolean;
  has_password: boolean;
  disabled: boolean;
  created_at: string;
  /** Grows with each change; the ETag. */
  version: string;
}

export class SignInLinkView {
  /** The address of the page. It signs in once, and is shown this once. */
  link: string;
  expires_at: string;
  /** The mail server of the configuration has taken it as well. */
  mailed: boolean;
}

export function userView({ id, email, name, operator, hasPassword, disabledAt, createdAt, version }: Person): UserView {
  return {
    id,
    email,
    name,
    operator,
    has_password: hasPassword,
    disabled: disabledAt !== undefined,
    created_at: isoTime(createdAt),
    version: String(version),
  };
}
