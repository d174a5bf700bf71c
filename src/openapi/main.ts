import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientTypes } from './client-types.js';
import { createDocuments } from './create-documents.js';

/*
 * Part of `npm run build`: writes openapi.json, openapi-admin.json, its types and the page of docs beside the compiled
 * program.
 * node dist/openapi/main.js [folder of the sources]
 */
const dist = resolve(import.meta.dirname, '..');
const source = resolve(process.argv[2] ?? join(dist, '../src'));
const { customers, administration } = await createDocuments(source);
writeFileSync(join(dist, 'openapi.json'), JSON.stringify(customers));
writeFileSync(join(dist, 'openapi-admin.json'), JSON.stringify(administration));
writeFileSync(join(dist, 'openapi-admin.d.ts'), clientTypes(administration));
const kept = (name: string): string => readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), 'utf8');
const own = (name: string): string => readFileSync(join(source, 'openapi/page', name), 'utf8');
writeFileSync(join(dist, 'docs.html'), own('page.html'));
writeFileSync(join(dist, 'docs.css'), kept('swagger-ui.css') + own('page.css'));
writeFileSync(join(dist, 'docs.js'), kept('swagger-ui-bundle.js') + own('page.js'));
