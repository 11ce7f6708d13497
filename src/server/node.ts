/** All services of a running node: what the composition root wires, and transports hand to methods. Created only in index.ts. */
import type { Secret } from '../store/model/secret.js'
import type { Context } from './context.js'
import type { AccessRequestDeps } from './api/accessRequests/requests.js'
import type { AnswerDeps } from './answers/answerBudget.js'
import type { RequestStatsDeps } from './base/requestStats.js'
import type { CoresDeps } from './api/delegations/cores.js'
import type { DelegationDeps } from './api/delegations/delivery.js'
import type { QueryCacheDeps } from './api/events/queryCache.js'
import type { ProxyDeps } from './auth/proxies.js'
import type { MailDeps } from './mail/mailer.js'
import type { MailingDeps } from './mail/mailing.js'
import type { ConsentDeps } from './api/consents/service.js'
import type { MfaDeps } from './api/mfa/sessions.js'
import type { NotifierDeps } from './notifications/notifier.js'
import type { OneTimeLinkDeps } from './pages/oneTimeLinks.js'
import type { SyncDeps } from './sync/sync.js'
import type { CertificateDeps } from './tls/certificate.js'
import type { WebhookDeps } from './webhooks/webhooks.js'
import type { MetaDeps } from './meta.js'

export interface Node
  extends Context, MetaDeps, AccessRequestDeps, AnswerDeps, CertificateDeps, ConsentDeps, CoresDeps, DelegationDeps, MailDeps, MailingDeps, MfaDeps, NotifierDeps, OneTimeLinkDeps, ProxyDeps, QueryCacheDeps, RequestStatsDeps, SyncDeps, WebhookDeps {
  /** Key that encrypts secrets at rest; included in backups. */
  readonly nodeKey: Secret<Uint8Array>
  /** Time of opening, in seconds since 1970; changes with each restart. */
  readonly openedAt: number
}
