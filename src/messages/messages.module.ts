import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { InferenceModule } from '../inference/inference.module.js';
import { AnthropicModels } from './anthropic-models.js';
import { MessagesController } from './messages.controller.js';
import { MessagesFormat } from './messages-format.js';
import { MessagesService } from './messages.service.js';

@Module({
  imports: [CatalogueModule, InferenceModule],
  controllers: [MessagesController],
  providers: [AnthropicModels, MessagesFormat, MessagesService],
})
export class MessagesModule {}
