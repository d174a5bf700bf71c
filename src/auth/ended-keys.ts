import { Injectable, type OnModuleInit } from '@nestjs/common';
import { OpenRequests } from '../http/server/open-requests.js';
import { ApiKeyService } from './api-key.service.js';

/** Ends the open requests of keys that are revoked or expire, with the error that a new request would get. */
@Injectable()
export class EndedKeys implements OnModuleInit {
  constructor(
    private readonly apiKeys: ApiKeyService,
    private readonly openRequests: OpenRequests,
  ) {}

  onModuleInit(): void {
    this.apiKeys.ended.subscribe((errors) =>
      this.openRequests.refuse(({ principal }) => (principal ? errors.get(principal.keyId) : undefined)),
    );
  }
}
