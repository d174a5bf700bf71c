import * as z from 'zod';
import { flag, milliseconds } from './setting-kinds.js';

const HOUR = 3_600_000;

const oidcProviderSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
    .describe('Part of the address that must be known at the provider: PUBLIC_URL/admin/v1/session/oidc/ID/callback.'),
  label: z.string().min(1).max(100).describe('What the page of sign-in calls it.'),
  issuer: z.url({ protocol: /^https?$/ }).describe('As the provider names itself; http only with allow_private_addresses.'),
  client_id: z.string().min(1),
  client_secret: z.string().min(1).optional().describe('Absent: a public client.'),
  scopes: z.string().min(1).default('openid email profile'),
});

export const dashboardSchema = z
  .strictObject({
    public_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe(
        'Address by which browsers reach the pages, without /dashboard, where it is another than server.public_url. Absent: the one by which somebody asks.',
      ),
    session_idle: milliseconds(12 * HOUR, 'Time without a request after which whoever is signed in must sign in again.'),
    session_lifetime: milliseconds(7 * 24 * HOUR, 'Time after which they must in any case.'),
    oidc: z
      .array(oidcProviderSchema)
      .max(20)
      .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'must have each id once')
      .default([])
      .describe('Providers of OpenID Connect by which people sign in.'),
    allow_private_addresses: flag(
      false,
      'Lets issuers be on this machine or in private networks, also without TLS; link-local addresses and metadata services are refused in any case.',
    ),
    mail: z
      .strictObject({
        url: z.url({ protocol: /^smtps?$/ }).describe('smtp://user:password@host:port, or smtps://.'),
        from: z.string().min(3).max(320).describe('Sender: an address, or `Name <address>`.'),
      })
      .optional()
      .describe('Mail server that invitations and links are sent by; absent: they are copied by hand.'),
  })
  .prefault({})
  .describe('The pages in which people look after accounts, and how they sign in.');
