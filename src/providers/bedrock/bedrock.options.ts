import * as z from 'zod';

const guardrail = z
  .strictObject({
    id: z.string().min(1).describe('Id or ARN of the guardrail.'),
    version: z
      .string()
      .regex(/^(DRAFT|[1-9]\d{0,7})$/, { error: 'must be DRAFT or a number' })
      .default('DRAFT')
      .describe('Its version: a number, or DRAFT.'),
    stream: z
      .enum(['sync', 'async'])
      .default('sync')
      .describe('Whether a streamed answer waits for the guardrail (sync), or is checked while it goes out (async).'),
  })
  .describe('A guardrail of Bedrock that every request passes.');

/** The settings in `options` of an entry of type `bedrock`. */
export const bedrockOptions = z
  .strictObject({
    region: z
      .string()
      .regex(/^[a-z]{2,}(-[a-z]+)+-\d+$/, { error: 'must be a region of AWS, such as us-east-1' })
      .describe('The region of AWS that is asked, whose name is part of the address and of signatures.'),
    access_key_id: z.string().min(1).optional().describe('Signs with this key instead of what AWS’s credential chain finds.'),
    secret_access_key: z.string().min(1).optional().meta({ writeOnly: true }).describe('The secret of access_key_id.'),
    session_token: z.string().min(1).optional().meta({ writeOnly: true }).describe('The token of a temporary access_key_id.'),
    profile: z.string().min(1).optional().describe('The profile in AWS’s own configuration files that signs.'),
    inference_profile: z
      .string()
      .regex(/^[a-z]+(-[a-z]+)*$/, { error: 'must be a prefix without its dot, such as us, eu or global' })
      .optional()
      .describe('Asks models through the inference profiles with this prefix: us, eu, apac, global ...'),
    control_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Address of the control plane, which lists models. Absent: bedrock.{region}.amazonaws.com, or base_url elsewhere.'),
    guardrail: guardrail.optional(),
  })
  .refine((options) => (options.access_key_id === undefined) === (options.secret_access_key === undefined), {
    path: ['secret_access_key'],
    error: 'must be set together with access_key_id',
  });

export type BedrockOptions = z.infer<typeof bedrockOptions>;
