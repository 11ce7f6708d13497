/**
 * Opens the registry of a platform of several cores from the settings, and registers this core in it. The first core of a new
 * platform, or of one whose etcd was lost, claims the names of the accounts that it already has, and creates the platform.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSeal } from '../../../store/keyring/seal.js'
import type { Secret } from '../../../store/model/secret.js'
import type { Store } from '../../../store/index.js'
import type { Log } from '../../base/log.js'
import { productVersion } from '../../base/version.js'
import type { Config } from '../../config/config.js'
import { SHARED_SETTINGS } from '../../config/settings/platform.js'
import type { EtcdClient } from '../registry/etcd/api.js'
import { createEtcdClient } from '../registry/etcd/client.js'
import { createEtcdRegistry } from '../registry/etcd/index.js'
import { platformKeysOf, valueOf, type PlatformKeys, type PlatformValue } from '../registry/etcd/keys.js'
import { PlatformTooNew } from '../joining/unusablePlatform.js'
import { orUnavailable } from '../registry/etcd/outcome.js'
import type { CoreRecord, CoreView, Registry } from '../registry/port.js'

/** Version of the keys and values in etcd. */
const LAYOUT = 1
/** Milliseconds between attempts to register this core while etcd does not answer. */
const RETRY_MS = 2000
/** Milliseconds that the opening of a node waits for etcd, if at least one member answers in PROBE_MS. */
const WAIT_MS = 3000
const PROBE_MS = 1000

interface Parts {
  config: Config
  store: Store
  /** Registry of the own store. */
  local: Registry
  /** Key of the platform: 32 bytes. */
  key: Secret<Uint8Array>
  /** Returns this core as the settings describe it. */
  own(): CoreView
  log: Log
  /** Time in seconds since 1970. */
  now(): number
}

/** @throws PlatformTooNew when newer cores have converted the platform */
export async function openRegistry({ config, store, local, key, own, log, now }: Parts): Promise<Registry> {
  const platformId = config.get('platform.id') ?? ''
  const isClear = config.get('platform.piiMode') === 'clear'
  const seal = await createSeal(key)
  const client = createEtcdClient({ endpoints: config.get('platform.etcd'), tls: await readTls(config), log })
  const isAnswering = (await client.status(PROBE_MS)).some(({ problem }) => problem === undefined)
  if (!isAnswering) log.warn('etcd does not answer: accounts of this core are served, and changes of names wait', { members: config.get('platform.etcd') })
  const waitMs = isAnswering ? WAIT_MS : 0
  const registry = await createEtcdRegistry({ client, local, store, platformId, seal, isClear, log, now, waitMs, restoreCore })
  const keys = platformKeysOf(platformId, seal, isClear)
  let isClosed = false

  /** Returns the record of this core, as the settings describe it. */
  function current(): CoreRecord {
    const { isLive: _, ...record } = { ...own(), settings: settingsDigests(config) }
    return record
  }

  /** Returns whether etcd lacks the record of this core. With `repair`, creates it and that of the platform. */
  async function restoreCore(repair: boolean): Promise<boolean> {
    let isMissing = false
    await registry.cores.change(registry.core, (known) => {
      isMissing ||= known === undefined
      return known === undefined && repair ? { ...current(), added: now() } : undefined
    })
    if (repair) await orUnavailable(createPlatform(client, keys, now()))
    return isMissing
  }

  async function register(): Promise<void> {
    const [meta] = (await client.range({ key: keys.meta })).items
    const layout = meta === undefined ? LAYOUT : valueOf<PlatformValue>(meta.value).v
    if (layout > LAYOUT) throw new PlatformTooNew(layout, LAYOUT)
    if (meta === undefined) {
      log.info('the platform is created; claiming the names of the accounts of this core', { platform: platformId, core: registry.core })
      await registry.platform?.compareNames(true)
    }
    let isKnown = false
    await registry.cores.change(registry.core, (known) => {
      isKnown = known !== undefined
      return known === undefined ? undefined : withCurrent(known, current())
    })
    if (!isKnown) log.error('this core is not part of the platform, and claims no names; if etcd has lost it, run coffer platform check --repair', { platform: platformId, core: registry.core })
  }

  async function registerUntilDone(): Promise<void> {
    while (!isClosed) {
      try {
        return await register()
      } catch (error) {
        if (error instanceof PlatformTooNew) throw error
        log.warn('this core could not be registered; trying again', { error: String(error) })
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())
      }
    }
  }

  const registered = registerUntilDone().catch(async (error: unknown) => {
    // Without a registry, accounts of this core are served, and nothing is written that newer cores would misread.
    log.error('this core takes no part in the platform', { error: String(error) })
    isClosed = true
    await registry.close()
    throw error
  })
  registered.catch(() => {})
  await Promise.race([registered, new Promise((resolve) => setTimeout(resolve, waitMs).unref())])
  return {
    ...registry,
    close() {
      isClosed = true
      return registry.close()
    },
  }
}

/** Creates the record of the platform, unless it exists. */
async function createPlatform(client: EtcdClient, keys: PlatformKeys, now: number): Promise<void> {
  const meta: PlatformValue = { v: LAYOUT, incarnation: randomBytes(8).toString('hex'), created: now, version: productVersion() }
  await client.transaction({ if: [{ key: keys.meta, isAbsent: true }], then: [{ put: keys.meta, value: JSON.stringify(meta) }] })
}

/** Returns the record of a core with what its settings say now. Undefined when that changes nothing. */
function withCurrent(known: CoreRecord, current: CoreRecord): CoreRecord | undefined {
  // The setting only takes a core out; what the operator set at run time stays.
  const next = { ...current, state: known.state, added: known.added, available: known.available && current.available }
  return JSON.stringify(next) === JSON.stringify(known) ? undefined : next
}

/** Returns digests of the settings that must be equal on all cores, by key. */
function settingsDigests(config: Config): Record<string, string> {
  return Object.fromEntries(
    SHARED_SETTINGS.map((key) => [key, createHash('sha256').update(JSON.stringify(config.get(key))).digest('hex').slice(0, 16)]),
  )
}

async function readTls(config: Config): Promise<{ ca?: string; cert?: string; key?: string }> {
  const read = async (key: 'platform.etcdCa' | 'platform.etcdCert' | 'platform.etcdKey'): Promise<string | undefined> => {
    const path = config.get(key)
    return path === null ? undefined : readFile(path, 'utf8')
  }
  const [ca, cert, own] = [await read('platform.etcdCa'), await read('platform.etcdCert'), await read('platform.etcdKey')]
  return { ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert }), ...(own === undefined ? {} : { key: own }) }
}
