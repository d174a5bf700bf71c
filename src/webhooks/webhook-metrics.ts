import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Metrics } from '../observability/metrics.js';
import { WebhookFigures } from './webhook-figures.js';

/** The metrics of webhooks, read when the page is asked for. */
@Injectable()
export class WebhookMetrics implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly figures: WebhookFigures,
  ) {}

  onModuleInit(): void {
    const { metrics, figures } = this;
    metrics.counters(
      'webhook_deliveries_total',
      'Attempts at messages to webhooks, and messages dropped, by how they ended',
      'outcome',
      () => Object.entries(figures.deliveries),
    );
    metrics.gauge('webhook_waiting', 'Messages in the store that wait for an attempt', () => figures.waiting.count, 'max');
    const seconds = () => figures.waiting.oldestMs / 1_000;
    metrics.gauge('webhook_oldest_waiting_seconds', 'For how long the oldest message has waited', seconds, 'max');
  }
}
