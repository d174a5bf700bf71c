import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/time/clock.js';
import { messageOf } from '../../common/message-of.js';
import { waitAtMost } from '../../common/time/waits.js';
import type { Config } from '../../config/config.schema.js';
import { ConfigService } from '../../config/config.service.js';
import { knownOrigin } from '../../config/dashboard-origin.js';
import { StartError } from '../../config/start-error.js';
import { vendorPackage } from '../../providers/kit/vendor-package.js';

export interface Message {
  /** The same for each attempt at the same message, so that whoever gets it twice can tell; absent: none is repeated. */
  readonly id?: string | undefined;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Milliseconds that a step of the conversation with the mail server may take, and all of it before nobody waits. */
const TIMEOUT_MS = 10_000;
const PATIENCE_MS = 15_000;
/** Messages that may be under way; more are not sent. */
const MAX_SENDING = 20;

type MailServer = NonNullable<Config['dashboard']['mail']>;

const library = () => vendorPackage(['nodemailer'], () => import('nodemailer'));

/** Sends messages by the mail server of the configuration. Nothing waits for it, and nothing depends on it. */
@Injectable()
export class Mailer implements OnModuleInit {
  readonly #logger = new Logger('Mail');
  #sending = 0;

  constructor(
    private readonly config: ConfigService,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.config.current.dashboard.mail === undefined) return;
    if (!this.isConfigured) this.#logger.warn('dashboard.mail sends nothing until dashboard.public_url or server.public_url is set');
    await library().catch((error: unknown) => {
      throw new StartError(`dashboard.mail: ${messageOf(error)}`);
    });
  }

  /**
   * Whether messages are sent: only where the configuration says at which address the pages are. Links in them would
   * otherwise lead wherever the Host header of a request says.
   */
  get isConfigured(): boolean {
    return this.config.current.dashboard.mail !== undefined && knownOrigin(this.config.current) !== undefined;
  }

  /**
   * Sends a message where there is a mail server. Never rejects: what cannot be sent is logged, without its text.
   * @returns whether the server has taken it within 15 seconds
   */
  async send(message: Message): Promise<boolean> {
    const { mail } = this.config.current.dashboard;
    if (!mail || !this.isConfigured || this.#sending >= MAX_SENDING) return false;
    this.#sending++;
    const sent = this.#hand(mail, message).finally(() => this.#sending--);
    let taken = false;
    await waitAtMost(
      this.clock,
      PATIENCE_MS,
      sent.then((done) => (taken = done)),
    );
    return taken;
  }

  async #hand(mail: MailServer, { id, to, subject, text }: Message): Promise<boolean> {
    try {
      const { createTransport } = await library();
      const transport = createTransport(mail.url, {
        dnsTimeout: TIMEOUT_MS,
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        // Nothing of a message is read from a file or an address.
        disableFileAccess: true,
        disableUrlAccess: true,
      } as object);
      const messageId = id && `<${id}@switchyard>`;
      await transport.sendMail({ from: mail.from, to: { name: '', address: to }, subject, text, messageId });
      return true;
    } catch (error) {
      this.#logger.warn(`A message could not be sent: ${messageOf(error)}`);
      return false;
    }
  }
}
