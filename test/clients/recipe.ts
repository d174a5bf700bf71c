import { z } from 'zod';

/** What the suites ask for where an answer must follow a schema. */
export const recipe = z.object({
  title: z.string(),
  minutes: z.number().int(),
  steps: z.array(z.object({ text: z.string(), tool: z.enum(['knife', 'pan', 'oven']) })),
  vegetarian: z.boolean().nullable(),
});

export type Recipe = z.infer<typeof recipe>;
