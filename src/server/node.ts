/** What a running node offers its methods: store, settings, time, ids, log. Made in one place, server/index.ts. */
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
  /** What seals secrets at rest; backups hold it. */
  readonly nodeKey: Secret<Uint8Array>
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly eventTypes: EventTypes
  readonly systemStreams: SystemStreams
  readonly usage: UsageTracker
  /** When it was opened, in seconds since 1970: a node that was restarted has another. */
  readonly openedAt: number
  /** Calls over HTTP, for the operator to watch. */
  readonly lastMinute: RequestStats
  /** What is counted for monitoring. */
  readonly metrics: Counters
  readonly audit: Auditor
  readonly pages: QueryCache
  /** Memory of answers that clients have not taken. */
  readonly answers: AnswerBudget
  readonly accounts: AccountCache
  readonly proxies: Proxies
  /** Unique names, and the platform's records. */
  readonly registry: Registry
  readonly mail: Mailer
  /** Templates of mails and their trial, for the operator. */
  readonly mailing: Mailing
  /** What waits for a second factor. */
  readonly mfaSessions: MfaSessions
  /** Links of the operator's that open a page signed in. */
  readonly oneTimeLinks: OneTimeLinks
  /** What apps ask for, and nobody or somebody has answered. */
  readonly accessRequests: AccessRequests
  /** Tells websockets and webhooks what changed. */
  readonly notifier: Notifier
  /** Clients of OAuth and keys that the operator has revoked. */
  readonly revocations: Revocations
  /** Where accounts of the platform are served. */
  readonly cores: Cores
  /** Carries messages between the two accounts of a delegation. */
  readonly delegations: Delegations
  /** Does what messages between accounts ask for. */
  readonly consents: Consents
  /** Calls addresses for accounts, and tells of it. */
  readonly webhooks: Webhooks
  /** Paired nodes, and pairings on their way. */
  readonly sync: Sync
  /** What HTTPS is served with, where the node does that itself. */
  readonly certificates: Certificates
  newId(): string
  /** Version of the interface: `API-Version`, `meta.apiVersion`, service info. */
  readonly apiVersion: string
  /** Serial of the service information as JSON text: every answer carries it. */
  serial(): string
  /** The base address by which clients reach this node, without trailing slash. */
  publicBase(): string
}

/** An account with its user and the accesses that called lately. */
export interface LoadedAccount {
  account: Account
  user: User
  /** Accesses by token, for calls to come; emptied when an access or a session changes. */
  tokens: Map<string, Authenticated>
  /** Set once this does not follow the journal any more: a call may still hold it, and remembers nothing in it. */
  isLeft?: true
}

/** Finds accounts by user name; what it keeps follows the journal. */
export interface AccountCache {
  /** The account of a user name, when it is in memory. */
  peek(username: string): LoadedAccount | undefined
  /** The account of a user name; undefined when there is none. */
  find(username: string): Promise<LoadedAccount | undefined>
  /** The account that the alias of an access leads to; undefined when there is none. */
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
    // A user's entry may be about its name: names are read again.
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
    // The store may have let the account go from memory and read it anew, and so may this directory.
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
