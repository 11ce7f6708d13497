/** The composition root of a node: wires store, services and methods explicitly. */
import { randomBytes, randomInt } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Opening } from '../store/keyring/nodeKey.js'
import { isOutOfSpace } from '../store/engine/database.js'
import type { StorePlace } from '../store/engine/open.js'
import { recordWriter } from '../store/engine/writerVersion.js'
import { createStoreView, type Store } from '../store/index.js'
import { createSystemStreams } from '../store/model/systemStreams.js'
import { createRecorder } from '../sync/crdt/document.js'
import { makeIdentity } from '../sync/pairing/identity.js'
import { createLocalRegistry } from './platform/registry/local.js'
import { coreOfSettings } from './platform/cores/ownCore.js'
import { createCoreCalls, type CoreCallDeps } from './platform/cores/coreCalls.js'
import type { CoreView, Registry } from './platform/registry/port.js'
import { createAccessRequests, type AccessRequestDeps } from './api/accessRequests/requests.js'
import { configuredBase, publicBaseOf } from './config/apiEndpoint.js'
import { createAuditor } from './audit/auditor.js'
import { filteredMethods } from './audit/filter.js'
import { startRetention } from './audit/retention.js'
import { createSyslog, type Syslog } from './audit/syslog.js'
import { followCommits, systemClock, type Clock } from './base/clock.js'
import type { Config } from './config/config.js'
import { createConsents } from './api/consents/delivery/dispatcher.js'
import { createCores, type Cores, type CoresDeps } from './platform/cores/cores.js'
import { createDelivery, type DelegationDeps } from './api/delegations/delivery.js'
import { prepareDelegationTeardown } from './api/delegations/onAccountDeleted.js'
import { delegationRoutes } from './api/delegations/routes.js'
import { createAnswerBudget, type AnswerDeps } from './call/answers/answerBudget.js'
import { createQueryCache, type QueryCacheDeps } from './api/events/queryCache.js'
import { createEventColumns, type EventColumnDeps } from '../store/events/eventColumns.js'
import { createEventPageCache, type EventPageDeps } from '../store/events/eventPageCache.js'
import { damageText } from '../store/leveldb/damage.js'
import { createStreamCounter, type StreamCountDeps } from '../store/events/streamCounts.js'
import { dropAbandoned } from './maintenance/checkpoints.js'
import { sweepFiles } from './maintenance/sweepFiles.js'
import { loadEventTypes } from './api/assets/loadEventTypes.js'
import { createProxies, type ProxyDeps } from './auth/proxies.js'
import { parseTrustedApps } from './auth/trustedApp.js'
import { newId } from './base/ids.js'
import { joinLogs, type Log } from './base/log.js'
import { createRecentLog, type RecentLogDeps } from './base/recentLog.js'
import type { Mailer, MailDeps } from './mail/mailer.js'
import { createMailing, type MailingDeps } from './mail/mailing.js'
import { metaOf, type MetaDeps } from './call/meta.js'
import { createCounters, type Counters } from './metrics/counters.js'
import { warnOfWeakSettings } from './api/mfa/offer.js'
import { createMfaSessions, type MfaDeps } from './api/mfa/sessions.js'
import { createAccountCache } from './call/accountCache.js'
import { createNotifier, type NotifierDeps } from './notifications/notifier.js'
import { sweepCodes } from './api/oauth/codes.js'
import { createRevocations } from './auth/dpop/revocations.js'
import { createRequestStats, type RequestStatsDeps } from './base/requestStats.js'
import { createOneTimeLinks, type OneTimeLinkDeps } from './pages/oneTimeLinks.js'
import { prepareInvitations } from './api/register/invitations.js'
import { undoNames } from './api/shared/undoNames.js'
import { refreshStorageUsed } from './api/shared/noteStorageUsed.js'
import { endImports } from './accountTransfer/running.js'
import { keepDurations } from './api/series/durations.js'
import { unlockStore } from './launch/unlockedStore.js'
import { createUsageTracker } from './call/usage.js'
import { createSync, type NodeSync } from './sync/compose.js'
import { createCertificates } from './tls/certificates.js'
import { serialOf } from './api/serviceInfo/serial.js'
import { API_VERSION, productVersion } from './base/version.js'
import { createWebhookFeed } from './webhooks/feed.js'
import { createPost } from './webhooks/post.js'
import type { Secret } from '../store/model/secret.js'
import type { Context } from './call/context.js'
import type { ConsentDeps } from './api/consents/service.js'
import type { SyncDeps } from './sync/sync.js'
import type { CertificateDeps } from './tls/certificate.js'
import type { WebhookDeps } from './webhooks/webhooks.js'

/** All services of a running node: what is wired here, and transports hand to methods. */
export interface Node
  extends Context, MetaDeps, AccessRequestDeps, AnswerDeps, CertificateDeps, ConsentDeps, CoreCallDeps, CoresDeps, DelegationDeps, EventColumnDeps, EventPageDeps, MailDeps, MailingDeps, MfaDeps, NotifierDeps, OneTimeLinkDeps, ProxyDeps, QueryCacheDeps, RecentLogDeps, RequestStatsDeps, StreamCountDeps, SyncDeps, WebhookDeps {
  readonly metrics: Counters
  /** Key that encrypts secrets at rest; included in backups. */
  readonly nodeKey: Secret<Uint8Array>
  /** Time of opening, in seconds since 1970; changes with each restart. */
  readonly openedAt: number
}

/** Parts of a node that its registry uses. */
export interface RegistryParts {
  store: Store
  /** Returns what is known of this node. */
  core(): CoreView
  /** Seconds. */
  now(): number
}

export interface NodeOptions {
  /** The store's folder. */
  store: string
  /** The file that describes the storage of the node key. */
  key: string
  /** Returns the passphrase of a protected key. */
  passphrase?: Opening['passphrase']
  /** Inspection of the store's files that was begun before. */
  inspection?: StorePlace['inspection']
  config: Config
  log: Log
  clock?: Clock
  /** Replaces the lookup of cores, for tests. */
  cores?: Cores
  /** Replaces the registry, for tests. */
  registry?(parts: RegistryParts): Registry | Promise<Registry>
  /** Replaces the mailer of the settings, for tests. */
  mail?: Mailer
}

/** A node with an open store; listeners are opened separately (listen.ts). */
export interface OpenNode extends Node {
  readonly sync: NodeSync
  /** Sets the base address of the node once it listens. */
  setListeningBase(base: string): void
  close(): Promise<void>
}

const EVENT_TYPES_TIMEOUT_MS = 10_000
const DAY_MS = 86_400_000
const RECORD_SWEEP_MS = 15 * 60_000
/** Events and answers in memory that are not used for one to two intervals leave it. */
const CACHE_SWEEP_MS = 5 * 60_000

/**
 * Opens a node; creates nothing. Throws NoStore, StoreLocked, StoreDamaged, FormatUnknown, NodeKeyUnusable or WrongPassphrase.
 */
export async function openNode(options: NodeOptions): Promise<OpenNode> {
  const { config } = options
  const ticking = followCommits(systemClock)
  const clock = options.clock ?? ticking
  const now = (): number => clock.now()
  const recentLog = createRecentLog(config.get('logs.level'), now)
  const log = joinLogs(options.log, recentLog.log)
  const { opened, nodeKey, seal } = await unlockStore({
    ...options,
    now,
    groupClosed: () => {
      ticking.groupClosed()
    },
    cacheBytes: config.get('store.cacheMb') * 1024 * 1024,
  })
  let opening: Registry | undefined
  try {
    // The actor is fresh per start, so that a restored backup never uses a sequence number again.
    const recorder = createRecorder({ actor: randomBytes(16).toString('hex') })
    const store = await createStoreView(opened, seal, recorder)
    const version = productVersion()
    const configured = config.get('service.eventTypes')
    // The first core of a platform publishes its built-in directory to the others.
    const source = configured?.startsWith(`${configuredBase(config)}/`) === true ? null : configured
    const eventTypes = await loadEventTypes({
      ...(source === null ? {} : { source }),
      version,
      fetch,
      readFile: (path) => readFile(path, 'utf8'),
      timeoutMs: EVENT_TYPES_TIMEOUT_MS,
      log,
    })
    for (const entry of parseTrustedApps(config.get('auth.trustedApps')).malformed) {
      log.error('auth.trustedApps contains a malformed entry, which is ignored', { entry })
    }
    warnOfWeakSettings(config, log)
    let base = configuredBase(config)
    let serial: string | undefined
    const usage = createUsageTracker(store, config.get('accessTracking.isActive'))
    const audit = createAuditor({
      store,
      clock,
      log,
      newId,
      isActive: config.get('audit.active'),
      methods: filteredMethods({
        include: config.get('audit.storage.filter.methods.include'),
        exclude: config.get('audit.storage.filter.methods.exclude'),
      }),
      ...(config.get('audit.syslog.active') ? { syslog: syslogOf(config, log) } : {}),
    })
    const isShared = options.registry !== undefined || config.get('platform.etcd').length > 0
    const identity = isShared ? await makeIdentity(store) : undefined
    const core = (): CoreView => coreOfSettings(config, base, identity?.node)
    const registry = (await options.registry?.({ store, core, now })) ?? (await registryOf(config, { store, core, now, log }))
    opening = registry
    const certificates = await createCertificates({ config, log, now, publicBase: () => base }, { registry, home: dirname(options.store) })
    const mailing = createMailing({ config, log, records: registry.records, publicBase: () => base })
    const metrics = createCounters()
    const sync = createSync({
      traffic: metrics.traffic,
      ...{ store, config, log, now, newId },
      home: dirname(options.store),
      random: () => randomInt(2 ** 32) / 2 ** 32,
      async exchange() {
        const { exchangeOf } = await import('./sync/exchangeOf.js')
        return exchangeOf(node)
      },
    })
    const node: Node = {
      store,
      nodeKey,
      config,
      clock,
      log,
      eventTypes,
      systemStreams: createSystemStreams(config.get('custom.systemStreams.account')),
      usage,
      metrics,
      audit,
      queryCache: createQueryCache(),
      streamCounts: createStreamCounter(store),
      eventColumns: createEventColumns(store),
      eventPages: createEventPageCache(store),
      answerBudget: createAnswerBudget(config.get('limits.answers.maxWaitingMb')),
      accounts: createAccountCache(store),
      proxies: createProxies(config.get('http.trustedProxies')),
      registry,
      mail: options.mail ?? mailing.mailer,
      mailing,
      mfaSessions: createMfaSessions(
        {
          ttlSeconds: config.get('services.mfa.sessions.ttlSeconds'),
          maxPending: config.get('services.mfa.sessions.maxPending'),
          maxPendingPerUser: config.get('services.mfa.sessions.maxPendingPerUser'),
        },
        now,
      ),
      openedAt: now(),
      recentLog,
      requestStats: createRequestStats(),
      oneTimeLinks: createOneTimeLinks(now),
      accessRequests: createAccessRequests(
        {
          maxLiveRequests: config.get('access.maxLiveRequests'),
          maxLiveRequestsPerIp: config.get('access.maxLiveRequestsPerIp'),
          maxRequestBytes: config.get('access.maxRequestBytes'),
          terminalRetentionMs: config.get('access.terminalRetentionMs'),
          unopenedRequestTtl: config.get('access.unopenedRequestTtl'),
        },
        now,
      ),
      revocations: await createRevocations({
        records: registry.records,
        log,
        clientSeconds: config.get('oauth.clientRevokeCheckSeconds'),
        keySeconds: config.get('oauth.dpop.keyRevokeCheckSeconds'),
      }),
      cores: options.cores ?? createCores(registry, config, () => base),
      coreCalls: createCoreCalls({ registry, signer: identity, now }),
      delegations: {
        toAccount: (...input) => delivery.toAccount(...input),
        toCore: (...input) => delivery.toCore(...input),
        prepareTeardown: (account, user) => prepareDelegationTeardown(node, account, user),
      },
      consents: createConsents(() => node),
      notifier: createNotifier(store),
      webhooks: { ...createWebhookFeed(), post: createPost(config, () => metaOf(node)) },
      sync,
      certificates,
      newId,
      apiVersion: config.get('service.version') ?? API_VERSION,
      serial: () => (serial ??= JSON.stringify(serialOf(node))),
      publicBase: () => base,
    }
    const delivery = createDelivery<Node>(node, delegationRoutes)
    store.onReadOnly((cause) => {
      const means = isOutOfSpace(cause) ? 'the disk is full: writes are rejected until there is space' : 'disk error: the node is read-only until it is restarted'
      log.error(means, { cause: String(cause) })
    })
    await recordWriter(opened, version).catch((error: unknown) => log.error('the version of coffer could not be recorded in the store', { error: String(error) }))
    await registry.platform?.settle((lost) => undoNames(node, lost)).catch((error: unknown) => log.error('unconfirmed changes of names could not be settled', { error: String(error) }))
    await prepareInvitations(node).catch((error: unknown) =>
      log.error('the invitations of the setting invitationTokens could not be stored', { error: String(error) }),
    )
    await sweepCodes(node).catch((error: unknown) => log.error('expired OAuth codes could not be removed', { error: String(error) }))
    await dropAbandoned(options.store).catch((error: unknown) => log.error('checkpoints of former processes could not be removed', { error: String(error) }))
    const nightly = setInterval(() => void refreshAll(node), DAY_MS)
    nightly.unref()
    const sweeping = setInterval(() => {
      void registry.sweep().catch(() => {})
      // Removes tokens of answered requests from memory, even if they are never fetched.
      node.accessRequests.sweep()
      void sweepCodes(node).catch(() => {})
    }, RECORD_SWEEP_MS)
    sweeping.unref()
    const releasing = setInterval(() => {
      for (const cache of [node.queryCache, node.eventColumns, node.eventPages]) cache.releaseUnused()
    }, CACHE_SWEEP_MS)
    releasing.unref()
    const stopTidying = sweepFiles(node)
    const stopRetention = startRetention(node)
    const durations = await keepDurations(node)
    void options.inspection?.verifyOthers((damage) => log.error('tables of the store are damaged: stop the node and run `coffer store repair`', { damage: damage.map(damageText).join('; ') }))
    return {
      ...node,
      sync,
      setListeningBase(listening) {
        base = publicBaseOf(config) ?? listening
        serial = undefined
      },
      async close() {
        clearInterval(nightly)
        clearInterval(sweeping)
        clearInterval(releasing)
        stopTidying()
        await stopRetention()
        await endImports(node)
        await node.consents.stop()
        await sync.stop()
        await durations.stop()
        await options.inspection?.stop()
        await mailing.stop()
        usage.stop()
        audit.stop()
        node.notifier.stop()
        node.streamCounts.stop()
        node.eventColumns.stop()
        await node.eventPages.stop()
        node.revocations.stop()
        await registry.close()
        await store.close()
      },
    }
  } catch (error) {
    await options.inspection?.stop()
    await opening?.close()
    await opened.close()
    throw error
  }
}

/** Opens the registry of the settings: that of the store, or on a platform of several cores, that in etcd. */
async function registryOf(config: Config, { store, core, now, log }: RegistryParts & { log: Log }): Promise<Registry> {
  const local = createLocalRegistry(store, core, now)
  if (config.get('platform.etcd').length === 0) return local
  const [{ openRegistry }, { readPlatformKey }, { PlatformKeyMissing }] = await Promise.all([import('./platform/cores/openRegistry.js'), import('./platform/joining/platformKey.js'), import('./platform/joining/unusablePlatform.js')])
  const key = readPlatformKey(store)
  if (key === undefined) throw new PlatformKeyMissing()
  return openRegistry({ config, store, local, key, own: core, log, now })
}

async function refreshAll(node: Node): Promise<void> {
  const { listUsernames } = await import('../store/accounts/users.js')
  for (const { username } of await listUsernames(node.store.db)) {
    const loaded = await node.accounts.find(username)
    if (loaded !== undefined) await refreshStorageUsed(node, loaded.account).catch(() => {})
  }
}

/** Creates the syslog output of audit records from the settings. */
function syslogOf(config: Config, log: Log): { output: Syslog; methods: ReadonlySet<string> } {
  const output = createSyslog({
    url: config.get('audit.syslog.url'),
    templates: {
      success: config.get('audit.syslog.templates.success'),
      failure: config.get('audit.syslog.templates.failure'),
    },
    log,
  })
  const methods = filteredMethods({
    include: config.get('audit.syslog.filter.methods.include'),
    exclude: config.get('audit.syslog.filter.methods.exclude'),
  })
  return { output, methods }
}
