import { Get } from '@nestjs/common';
import { Roles } from '../../auth/administration/roles.decorator.js';
import { ConfigService } from '../../config/config.service.js';
import { AdminController } from '../route.decorators.js';
import { configurationView, type ConfigurationView } from './configuration.dto.js';

@AdminController('configuration')
export class ConfigurationController {
  constructor(private readonly config: ConfigService) {}

  /**
   * Shows the configuration in force at the process that answers, without its secrets.
   * @returns it, where its values come from, and how reading it again has ended
   */
  @Get()
  @Roles('operator')
  get(): ConfigurationView {
    return configurationView(this.config);
  }
}
