import { Body, Delete, Get, Patch, Query } from '@nestjs/common';
import { CurrentDeed } from '../../auth/administration/deed.decorator.js';
import { Roles } from '../../auth/administration/roles.decorator.js';
import type { Deed } from '../../observability/audit/audit-log.js';
import { AdminController, type Change, Id, IfMatch, Perform } from '../route.decorators.js';
import { type PageView, pageView } from '../page.dto.js';
import {
  ChangeKeyDto,
  CreateKeyDto,
  keyQuery,
  KeysDto,
  type KeyView,
  keyView,
  type MadeKeyView,
  madeKeyView,
  RotateKeyDto,
} from './key.dto.js';
import { KeysService } from './keys.service.js';

@AdminController('accounts/:account/keys')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  /**
   * Lists the keys of an account, oldest first where nothing else is asked for.
   * @returns a page of them
   * @throws ApiError 404 not_found
   */
  @Get()
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async list(@Id('account') account: string, @Query() query: KeysDto): Promise<PageView<KeyView>> {
    return pageView(await this.keys.page(account, keyQuery(query)), keyView);
  }

  /**
   * Makes an API key.
   * @returns the key with its full text, which is shown this once
   * @throws ApiError 404 not_found, 409 idempotency_conflict, conflict
   */
  @Perform()
  @Roles('operator', 'owner', 'admin', 'developer')
  async create(@Id('account') account: string, @Body() body: CreateKeyDto, @CurrentDeed() deed: Deed): Promise<MadeKeyView> {
    return madeKeyView(await this.keys.create(account, body, deed));
  }

  /**
   * Shows a key without its full text.
   * @returns the key
   * @throws ApiError 404 not_found
   */
  @Get(':key')
  @Roles('operator', 'owner', 'admin', 'developer', 'viewer')
  async get(@Id('account') account: string, @Id('key') id: string): Promise<KeyView> {
    return keyView(await this.keys.get(account, id));
  }

  /**
   * Changes what is given of a key. Developers may not: a change of rules could lift what restricts them.
   * @returns the key as it is now
   * @throws ApiError 404 not_found, 409 conflict, 412 precondition_failed
   */
  @Patch(':key')
  @Roles('operator', 'owner', 'admin')
  async change(@Id('account') account: string, @Id('key') id: string, @Body() body: ChangeKeyDto, @IfMatch() by: Change): Promise<KeyView> {
    return keyView(await this.keys.change(account, id, body, by));
  }

  /**
   * Makes the successor of a key, with the same rules, limits and budgets. Both work until the grace has passed.
   * @returns the successor with its full text, which is shown this once
   * @throws ApiError 404 not_found, 409 idempotency_conflict, conflict
   */
  @Perform(':key/rotate')
  @Roles('operator', 'owner', 'admin', 'developer')
  async rotate(
    @Id('account') account: string,
    @Id('key') id: string,
    @Body() body: RotateKeyDto,
    @CurrentDeed() deed: Deed,
  ): Promise<MadeKeyView> {
    return madeKeyView(await this.keys.rotate(account, id, body, deed));
  }

  /**
   * Makes a key invalid, for good. Its open requests end within a second.
   * @returns the key as it is now
   * @throws ApiError 404 not_found, 412 precondition_failed
   */
  @Delete(':key')
  @Roles('operator', 'owner', 'admin', 'developer')
  async revoke(@Id('account') account: string, @Id('key') id: string, @IfMatch() by: Change): Promise<KeyView> {
    return keyView(await this.keys.revoke(account, id, by));
  }
}
