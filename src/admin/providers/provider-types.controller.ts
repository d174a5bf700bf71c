import { Get } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { COMPATIBLE } from '../../config/provider-type.js';
import { providerTypes } from '../../providers/registry/provider-types.js';
import { AdminController } from '../route.decorators.js';

/** What a provider of the store can be. */
export class ProviderTypeView {
  /** The value of `type` in its settings. */
  type: string;
  /** The name that people see. */
  name: string;
  /**
   * Its address where the settings name none; `{region}` in it is the option of that name. Null where they must name
   * one.
   */
  base_url: string | null;
}

export class ProviderTypeListView {
  data: ProviderTypeView[];
}

const anyKey = { api_key: 'key', options: {} };

/** Types that come by the file alone are left out. */
const views: ProviderTypeView[] = [
  { type: COMPATIBLE, name: 'OpenAI-compatible', base_url: null },
  ...providerTypes
    .filter(({ fileAlone }) => fileAlone?.(anyKey) === undefined)
    .map(({ type, name, baseUrl }) => ({ type, name, base_url: baseUrl ?? null })),
];

@AdminController('provider-types')
export class ProviderTypesController {
  /**
   * Lists what providers of the store can be: vendors, and any address that speaks the OpenAI format.
   * @returns all of them
   */
  @Get()
  @Roles('operator')
  list(): ProviderTypeListView {
    return { data: views };
  }
}
