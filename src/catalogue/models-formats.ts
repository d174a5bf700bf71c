import { Injectable } from '@nestjs/common';
import type { RequestContext } from '../http/requests/request-context.js';
import type { Model, ModelList } from '../wire/model.js';

/** The models as clients of another format read them. The room of the format provides it. */
export abstract class ModelsFormat {
  /** Whether a request with these headers is one of such a client. */
  abstract speaks(headers: RequestContext['headers']): boolean;
  abstract list(list: ModelList): object;
  abstract model(model: Model): object;
}

/** The formats of the models beside the specification's own. */
@Injectable()
export class ModelsFormats {
  readonly #formats: ModelsFormat[] = [];

  add(format: ModelsFormat): void {
    this.#formats.push(format);
  }

  /** The list itself where no other format is asked for. */
  list(list: ModelList, headers: RequestContext['headers']): ModelList {
    return (this.#of(headers)?.list(list) as ModelList | undefined) ?? list;
  }

  model(model: Model, headers: RequestContext['headers']): Model {
    return (this.#of(headers)?.model(model) as Model | undefined) ?? model;
  }

  #of(headers: RequestContext['headers']): ModelsFormat | undefined {
    return this.#formats.find((format) => format.speaks(headers));
  }
}
