import * as z from 'zod';

/** What an entry of type `vertex` says in its `options`. */
export const vertexOptions = z
  .strictObject({
    project: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.:-]{0,99}$/, 'must be the id or the number of a project')
      .describe('The project that is charged, by its id or number.'),
    location: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'must be global, a multi-region (us, eu) or a region such as europe-west1')
      .default('global')
      .describe('Where the models run: `global`, a multi-region (`us`, `eu`) or a region.'),
    service_account: z
      .string()
      .min(1)
      .optional()
      .meta({ writeOnly: true })
      .describe('The JSON of a key of a service account, as text. Absent: application default credentials.'),
    service_account_file: z.string().min(1).optional().describe('The path of a file with such a JSON.'),
  })
  .refine((options) => !options.service_account || !options.service_account_file, {
    path: ['service_account_file'],
    error: 'stands beside service_account: name one of them',
  });

export type VertexOptions = z.infer<typeof vertexOptions>;
