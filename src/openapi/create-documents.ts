import type { Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import { AppModule } from '../app.module.js';
import { prefixRoutes } from '../app.setup.js';
import { systemClock } from '../common/time/clock.js';
import { configSchema } from '../config/config.schema.js';
import { version } from '../config/version.js';
import { GatewayAdapter } from '../http/server/gateway-adapter.js';
import { createLog } from '../observability/log.js';
import { headerComponents } from './answer-headers.js';
import { DtoRules } from './dto-rules.js';
import { groups } from './operation-facts.js';
import { Operations } from './operations.js';
import { idsOfRests, ownOperations } from './own-operations.js';
import type { Security } from './security.js';
import { onlyUsed, shareAnswers } from './share-components.js';
import { TypeSchemas } from './type-schemas.js';

const ADMIN = '/admin/';

/** The controller of a page and its files, which are no operations. */
const page = { controller: 'DashboardController', path: '/dashboard' };

export interface Documents {
  /** What customers call. */
  readonly customers: OpenAPIObject;
  /** What operators and members of accounts call. */
  readonly administration: OpenAPIObject;
}

/**
 * Describes all operations of the gateway as OpenAPI 3.1. The application is made in Nest's preview mode: its routes
 * are known, and nothing of it is instantiated or opened.
 * @param source the folder `src`, whose types and docstrings are read
 */
export async function createDocuments(source: string): Promise<Documents> {
  const config = configSchema.parse({ observability: { log_level: 'silent' } });
  const root = AppModule.forRoot(config, createLog(config), systemClock, []);
  const app = await NestFactory.create<NestFastifyApplication>(root, new GatewayAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  prefixRoutes(app);
  const types = new TypeSchemas(source, new DtoRules());
  types.declare('ErrorBody', 'wire/error.ts');
  const operations = new Operations(types);
  const declared = new Map(types.exportsOf('.controller.ts').map((symbol) => [symbol.name, symbol]));
  for (const controller of controllersOf(app)) {
    if (controller.name === page.controller) continue;
    const found = declared.get(controller.name);
    if (!found) throw new Error(`no *.controller.ts declares ${controller.name}`);
    operations.describe(controller, found, securityOf(controller));
  }
  types.close();
  const scanned = SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.1.0').build(), {
    autoTagControllers: false,
  });
  const documentOf = (title: string, description: string, isPart: (path: string) => boolean): OpenAPIObject => {
    const paths = Object.fromEntries(Object.entries(idsOfRests(scanned.paths)).filter(([path]) => isPart(path)));
    return complete(ownOperations(paths), types, { title, description });
  };
  return {
    customers: documentOf(
      'Switchyard',
      'A gateway to language models in the OpenAI format. Clients for that format work with this address, ending with `/v1`, and a key of the gateway.',
      (path) => !path.startsWith(ADMIN) && !path.startsWith(page.path),
    ),
    administration: documentOf(
      'Switchyard administration',
      'What operators of the gateway and members of its accounts do. Its tokens are not the API keys.',
      (path) => path.startsWith(ADMIN),
    ),
  };
}

function controllersOf(app: NestFastifyApplication): Type[] {
  // It has no other way to ask, in preview mode.
  const { container } = app as unknown as { container: { getModules(): Map<string, { controllers: Map<unknown, { metatype: Type }> }> } };
  return [...container.getModules().values()].flatMap(({ controllers }) => [...controllers.values()].map(({ metatype }) => metatype));
}

function securityOf(controller: Type): (handler: object) => Security {
  const secured = String(Reflect.getMetadata(PATH_METADATA, controller)).startsWith('admin') ? 'admin_token' : 'api_key';
  return (handler) => {
    const given = [handler, controller].map(
      (target) => Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, target) as FastifyContextConfig | undefined,
    );
    if (given.some((config) => config?.public)) return 'none';
    return given.some((config) => config?.aboutItself === 'people') ? 'session' : secured;
  };
}

function complete(paths: OpenAPIObject['paths'], { components }: TypeSchemas, info: { title: string; description: string }): OpenAPIObject {
  const used = new Set(
    Object.values(paths).flatMap((path) => Object.values(path as Record<string, { tags?: string[] }>).flatMap(({ tags }) => tags ?? [])),
  );
  const described = groups.filter(([name]) => used.has(name)).map(([name, description]) => ({ name, description }));
  const rest = [...used].filter((name) => described.every((group) => group.name !== name)).sort();
  const document = {
    openapi: '3.1.0',
    info: { ...info, version: version() },
    servers: [{ url: '/' }],
    tags: [...described, ...rest.map((name) => ({ name }))],
    paths,
    components: {
      schemas: components,
      headers: headerComponents,
      securitySchemes: {
        api_key: { type: 'http', scheme: 'bearer', description: 'An API key of an account: `sy-live-...` or `sy-test-...`.' },
        admin_token: { type: 'http', scheme: 'bearer', description: 'A token of the administration API.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'switchyard_session',
          description:
            'The session of somebody who has signed in; by TLS the name begins with `__Host-`. What changes something also needs the header `x-csrf-token` with the token of the session.',
        },
      },
    },
  };
  return onlyUsed(shareAnswers(structuredClone(document) as unknown as OpenAPIObject));
}
