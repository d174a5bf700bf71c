import { Injectable } from '@nestjs/common';
import { type ModelSwitch, ModelSwitchStore } from '../../catalogue/model-switch-store.js';
import { audited, type Deed } from '../../observability/audit/audit-log.js';
import { fieldsOf } from '../once.service.js';
import type { DisableModelDto, EnableModelDto } from './model.dto.js';

/** Takes models out of service and puts them back, whether anybody offers them or not. */
@Injectable()
export class ModelSwitching {
  constructor(private readonly switches: ModelSwitchStore) {}

  list(): Promise<ModelSwitch[]> {
    return this.switches.list();
  }

  async disable(id: string, { provider, message }: Omit<DisableModelDto, 'force'>, deed: Deed): Promise<void> {
    const same = (one: ModelSwitch) => one.model === id && one.provider === provider && message !== undefined && one.message === message;
    if ((await this.list()).some(same)) return;
    await this.switches.disable(id, provider, message, audited(deed, { fields: fieldsOf({ provider, message }) }));
  }

  /** @returns how many switches there were */
  enable(id: string, { provider }: EnableModelDto, deed: Deed): Promise<number> {
    return this.switches.enable(id, provider, audited(deed, { fields: fieldsOf({ provider }) }));
  }
}
