import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { OpenApiController } from './openapi.controller.js';

/** The description of the API, for programs and for people. */
@Module({ controllers: [OpenApiController, DocsController] })
export class ReferenceModule {}
