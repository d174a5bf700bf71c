import { Injectable } from '@nestjs/common';
import type { Insertable } from 'kysely';
import { DerivedSecrets } from '../auth/derived-secrets.js';
import { seal, unsealBytes } from '../auth/sealed-text.js';
import type { StoredResponseTable } from '../database/stored-response-table.js';
import type { ResponseObject } from '../wire/response.js';
import { WrittenJson } from '../wire/written-json.js';
import type { KeptRequest, Owner, StoredItem, WrittenResponse } from './stored-response.js';

type NewRow = Insertable<StoredResponseTable> & { readonly input: Buffer; readonly answer: Buffer; readonly bytes: number };
type Account = Pick<Owner, 'accountId'>;
type Sealed<Part extends 'input' | 'answer'> = { readonly id: string } & { readonly [Name in Part]: Uint8Array };

/** The texts of stored responses are encrypted with a secret of their account, and are gone with their rows. */
@Injectable()
export class SealedResponses {
  constructor(private readonly secrets: DerivedSecrets) {}

  row({ id, owner, background, previous, input }: KeptRequest, { status, json }: WrittenResponse): NewRow {
    const secret = this.#secret(owner);
    const sealed = { input: seal(input, secret, `${id}/input`), answer: seal(json, secret, `${id}/answer`) };
    const bytes = sealed.input.length + sealed.answer.length;
    return {
      id,
      account_id: owner.accountId,
      environment: owner.environment,
      status,
      background: background ? 1 : 0,
      previous_id: previous?.id ?? null,
      turns: (previous?.turns ?? 0) + 1,
      bytes,
      conversation_bytes: (previous?.bytes ?? 0) + bytes,
      node_id: null,
      lease_until: null,
      ...sealed,
    };
  }

  input(account: Account, { id, input }: Sealed<'input'>): WrittenJson<StoredItem[]> {
    return new WrittenJson(unsealBytes(input, this.#secret(account), `${id}/input`));
  }

  response(account: Account, { id, answer }: Sealed<'answer'>): WrittenJson<ResponseObject> {
    return new WrittenJson(unsealBytes(answer, this.#secret(account), `${id}/answer`));
  }

  #secret({ accountId }: Account): Buffer {
    return this.secrets.derive('stored response', accountId);
  }
}
