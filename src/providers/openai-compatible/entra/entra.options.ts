import * as z from 'zod';
import { ownOf } from '../../../wire/own-members.js';

const text = z.string().min(1).optional();

/** What each way to a token needs in the options. What it does not need, it takes from its own variables. */
const needed: Readonly<Record<string, readonly ('tenant_id' | 'client_id' | 'client_secret' | 'certificate_file')[]>> = {
  client_secret: ['tenant_id', 'client_id', 'client_secret'],
  client_certificate: ['tenant_id', 'client_id', 'certificate_file'],
};

/** What an entry of type `azure` says in its `options`. */
export const entraOptions = z
  .strictObject({
    entra: z
      .enum(['default', 'managed_identity', 'workload_identity', 'client_secret', 'client_certificate'])
      .optional()
      .describe('Who the gateway is to Microsoft Entra. Absent: requests carry the key of the entry.'),
    tenant_id: text.describe('The tenant that gives the token.'),
    client_id: text.describe('The application, or the managed identity where there are several.'),
    client_secret: text.meta({ writeOnly: true }).describe('The secret of the application.'),
    certificate_file: text.describe('The path of a PEM file with the certificate of the application and its key.'),
    certificate_password: text.meta({ writeOnly: true }).describe('The password of that key.'),
    responses: z.boolean().optional().describe('Whether requests in the Responses format are asked at /responses.'),
    hosted_tools: z.array(z.string()).optional().describe('Types of hosted tools that the address has in that format.'),
    scope: z
      .url({ protocol: /^https$/ })
      .default('https://cognitiveservices.azure.com/.default')
      .describe('What the token is for.'),
  })
  .superRefine((options, context) => {
    for (const name of ownOf(needed, options.entra) ?? []) {
      if (options[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: `is missing, which entra: ${options.entra} needs` });
    }
  });

export type EntraOptions = z.infer<typeof entraOptions>;
