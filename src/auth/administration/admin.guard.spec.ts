import type { FastifyRequest } from 'fastify';
import { ClientAddresses } from '../../http/requests/client-addresses.js';
import { AdminGuard } from './admin.guard.js';
import type { AdminTokenService } from './admin-token.service.js';
import type { Administrator, AdminRole } from './administrator.js';
import { NO_ACCOUNT, roles } from './administrator.js';

describe('AdminGuard', () => {
  const guard = new AdminGuard(undefined as unknown as AdminTokenService, undefined as unknown as ClientAddresses);
  const refusal = (administrator: Partial<Administrator>, allowed: readonly AdminRole[] | undefined, params = {}): string | undefined => {
    try {
      guard.authorize({ administrator, params, routeOptions: { config: { roles: allowed } } } as unknown as FastifyRequest);
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('refuses everybody a route that says of nobody that they may use it', () => {
    for (const role of roles) {
      expect(refusal({ role }, undefined)).toBe('permission_denied');
      expect(refusal({ role }, [])).toBe('permission_denied');
      expect(refusal({ role }, [role])).toBeUndefined();
    }
  });

  it('refuses members a route without an account, whatever it says: it is about all of them', () => {
    expect(refusal({ role: 'viewer', accountId: 'a' }, roles)).toBe('permission_denied');
    expect(refusal({ role: 'viewer', accountId: 'a' }, roles, { account: 'a' })).toBeUndefined();
    expect(refusal({ role: 'viewer', accountId: 'a' }, roles, { account: 'b' })).toBe('not_found');
    expect(refusal({ role: 'operator' }, roles, { account: 'b' })).toBeUndefined();
  });

  it('calls a person by no role where they have none', () => {
    const administrator = { kind: 'user', role: 'viewer', accountId: NO_ACCOUNT };
    const request = { administrator, params: {}, routeOptions: { config: { roles: ['operator'] } } } as unknown as FastifyRequest;
    expect(() => guard.authorize(request)).toThrow('A member of accounts may not do this. It takes the role operator.');
  });
});
