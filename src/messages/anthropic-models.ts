import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModelsFormat, ModelsFormats } from '../catalogue/models-formats.js';
import type { AnthropicModel, AnthropicModelList } from '../wire/anthropic-message.js';
import type { RequestContext } from '../http/requests/request-context.js';
import type { Model, ModelList } from '../wire/model.js';

/** The models in Anthropic's shape, for requests with its header anthropic-version. All of them are one page. */
@Injectable()
export class AnthropicModels extends ModelsFormat implements OnModuleInit {
  constructor(private readonly formats: ModelsFormats) {
    super();
  }

  onModuleInit(): void {
    this.formats.add(this);
  }

  override speaks(headers: RequestContext['headers']): boolean {
    return headers['anthropic-version'] !== undefined;
  }

  override list({ data }: ModelList): AnthropicModelList {
    const models = data.filter(({ capabilities }) => capabilities.chat).map((model) => this.model(model));
    return { data: models, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null };
  }

  override model({ id, created, context_length, max_tokens }: Model): AnthropicModel {
    const created_at = new Date(created * 1_000).toISOString();
    const untold = { deprecated_at: null, retires_at: null, line: null, capabilities: null };
    const limits = { max_input_tokens: context_length, max_tokens };
    return { type: 'model', id, display_name: id, created_at, ...limits, lifecycle: 'active', ...untold };
  }
}
