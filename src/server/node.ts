/** Services of a running node for its methods. Created only in server/index.ts. */
import { accountOfAlias } from '../store/accesses/accesses.js'
import type { Account } from '../store/engine/account.js'
import { readUser, accountOfUsername, type User } from '../store/accounts/users.js'
import { concernsCallers } from '../store/engine/journal.js'
import type { EventTypes } from '../store/model/eventTypes/types.js'
import type { SystemStreams } from '../store/model/systemStreams.js'
import type { Secret } from '../store/model/secret.js'
import type { Store } from '../store/index.js'
import type { Registry } from '../sync/registry/port.js'
import type { AccessRequests } from './accessRequest/requests.js'
import type { AnswerBudget } from './answers/answerBudget.js'
import type { Auditor } from './audit/auditor.js'
import type { Clock } from './base/clock.js'
import type { Config } from './config/config.js'
import type { Consents } from './messaging/dispatcher.js'
import type { Cores } from './delegations/cores.js'
import type { Delegations } from './delegations/delivery.js'
import type { Authenticated } from './guard/authenticate.js'
import type { Proxies } from './guard/proxies.js'
import type { RequestStats } from './base/requestStats.js'
import type { Log } from './base/log.js'
import type { Counters } from './metrics/counters.js'
import type { Mailer } from './mail/mailer.js'
import type { Mailing } from './mail/mailing.js'
import type { MfaSessions } from './mfa/sessions.js'
import type { Notifier } from './notifications/notifier.js'
import type { Revocations } from './proofs/revocations.js'
import type { OneTimeLinks } from './pages/oneTimeLinks.js'
import type { QueryCache } from './events/queryCache.js'
import type { Sync } from './sync/sync.js'
import type { Certificates } from './tls/certificate.js'
import type { UsageTracker } from './usage.js'
import type { Webhooks } from './webhooks/webhooks.js'

export interface Node {
  readonly store: Store
  /** Key that encrypts secrets at rest; included in backups. */
  readonly nodeKey: Secret<Uint8Array>
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly eventTypes: EventTypes
  readonly systemStreams: SystemStreams
  readonly usage: UsageTracker
  /** Time of opening, in seconds since 1970; changes with each restart. */
  readonly openedAt: number
  /** Statistics of recent HTTP requests, for the operator. */
  readonly requestStats: RequestStats
  /** Counters for monitoring. */
  readonly metrics: Counters
  readonly audit: Auditor
  readonly queryCache: QueryCache
  /** Memory budget of answers that clients have not read. */
  readonly answerBudget: AnswerBudget
  readonly accounts: AccountCache
  readonly proxies: Proxies
  /** Unique names, and records of the platform. */
  readonly registry: Registry
  readonly mail: Mailer
  /** Mail templates and test mails, for the operator. */
  readonly mailing: Mailing
  /** Pending logins and enrolments with a second factor. */
  readonly mfaSessions: MfaSessions
  /** One-time links of the operator that open a page signed in. */
  readonly oneTimeLinks: OneTimeLinks
  /** Pending and answered access requests of apps. */
  readonly accessRequests: AccessRequests
  /** Notifies websockets and webhooks of changes. */
  readonly notifier: Notifier
  /** Revoked OAuth clients and DPoP keys. */
  readonly revocations: Revocations
  /** Finds the cores that serve accounts of the platform. */
  readonly cores: Cores
  /** Messages between the two accounts of a delegation. */
  readonly delegations: Delegations
  /** Processes messages between accounts. */
  readonly consents: Consents
  /** Calls webhooks of accounts, and reports deliveries. */
  readonly webhooks: Webhooks
  /** Paired nodes, and pairings in progress. */
  readonly sync: Sync
  /** Certificates for HTTPS, if the node serves it itself. */
  readonly certificates: Certificates
  newId(): string
  /** Version of the API: `API-Version`, `meta.apiVersion`, service info. */
  readonly apiVersion: string
  /** Returns the serial of the service information as JSON text, included in every answer. */
  serial(): string
  /** Returns the base address by which clients reach this node, without trailing slash. */
  publicBase(): string
}

/** An account with its user and its recently used accesses. */
export interface LoadedAccount {
  account: Account
  user: User
  /** Accesses by token; cleared when an access or a session changes. */
  tokens: Map<string, Authenticated>
  /** Set after eviction, when it no longer follows the journal: a running call may still use it, but must not cache in it. */
  isLeft?: true
}

/** Cache of accounts by username; follows the journal. */
export interface AccountCache {
  /** Returns the account with a username, if in memory. */
  peek(username: string): LoadedAccount | undefined
  /** Returns the account with a username; undefined when there is none. */
  find(username: string): Promise<LoadedAccount | undefined>
  /** Returns the account for the alias of an access; undefined when there is none. */
  findByAlias(alias: string): Promise<LoadedAccount | undefined>
}

const MAX_CACHED = 1000

export function createAccountCache(store: Store, maxCached = MAX_CACHED): AccountCache {
  const byPrefix = new Map<string, LoadedAccount>()
  const byName = new Map<string, LoadedAccount>()
  store.follow((entries) => {
    for (const { account: prefix, kind, action } of entries) {
      if (!concernsCallers(kind) || (kind === 'access' && action === 'create')) continue
      const loaded = byPrefix.get(prefix)
      if (loaded === undefined) continue
      loaded.tokens.clear()
      if (kind !== 'user') continue
      const user = readUser(store.db, prefix)
      if (user === undefined) leave(prefix, loaded)
      else loaded.user = user
    }
    // The entry of a user may change its name.
    if (entries.some(({ kind }) => kind === 'user')) byName.clear()
  })
  store.onReadOnly(() => {
    for (const [prefix, loaded] of byPrefix) leave(prefix, loaded)
    byName.clear()
  })

  function leave(prefix: string, loaded: LoadedAccount): void {
    byPrefix.delete(prefix)
    loaded.isLeft = true
    loaded.tokens.clear()
  }

  function now(username: string): LoadedAccount | undefined {
    let loaded = byName.get(username)
    if (loaded === undefined) {
      const prefix = accountOfUsername(store.db, username)
      loaded = prefix === undefined ? undefined : byPrefix.get(prefix)
      if (loaded === undefined) return undefined
      if (byName.size >= maxCached) byName.clear()
      byName.set(username, loaded)
    }
    // The store may have evicted and reloaded the account.
    return loaded.isLeft !== true && store.loaded(loaded.account.prefix) === loaded.account ? loaded : undefined
  }

  async function byAccount(prefix: string): Promise<LoadedAccount | undefined> {
    const account = await store.account(prefix)
    const known = byPrefix.get(prefix)
    if (known?.account === account) return known
    const user = readUser(store.db, prefix)
    if (user === undefined) return undefined
    const loaded: LoadedAccount = { account, user, tokens: new Map<string, Authenticated>() }
    if (known !== undefined) leave(prefix, known)
    const [oldest] = byPrefix
    if (byPrefix.size >= maxCached && oldest !== undefined) leave(...oldest)
    byPrefix.set(prefix, loaded)
    return loaded
  }

  return {
    peek: now,
    async find(username) {
      const known = now(username)
      if (known !== undefined) return known
      const prefix = accountOfUsername(store.db, username)
      if (prefix === undefined) return undefined
      byName.delete(username)
      return byAccount(prefix)
    },
    async findByAlias(alias) {
      const prefix = accountOfAlias(store.db, alias)
      return prefix === undefined ? undefined : byAccount(prefix)
    },
  }
}
