import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { clientTypes } from './client-types.js';
import { createDocuments } from './create-documents.js';
import { createPage } from './create-page.js';

/*
 * Part of `npm run build`: writes openapi.json, openapi-admin.json, its types and docs.html beside the compiled program.
 * node dist/openapi/main.js [folder of the sources]
 */
const dist = resolve(import.meta.dirname, '..');
const source = resolve(process.argv[2] ?? join(dist, '../src'));
const { customers, administration } = await createDocuments(source);
writeFileSync(join(dist, 'openapi.json'), JSON.stringify(customers));
writeFileSync(join(dist, 'openapi-admin.json'), JSON.stringify(administration));
writeFileSync(join(dist, 'openapi-admin.d.ts'), clientTypes(administration));
writeFileSync(join(dist, 'docs.html'), createPage(join(source, 'openapi/page')));
