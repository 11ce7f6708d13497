/** A platform of several cores on a real etcd, with the cores in the process of the test. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Secret } from '../../../src/store/model/secret.js'
import { initialise } from '../../../src/server/launch/init.js'
import { writePlatformKey } from '../../../src/server/platform/joining/platformKey.js'
import type { TestEtcd } from '../services/etcd.js'
import { placesOf, startTestNode, type TestNode } from './node.js'

export const PLATFORM_ID = 'testplatform'
/** Admin key of all cores. */
export const ADMIN_KEY = 'admin key of the platform'

/** Settings that all cores share. */
export const SHARED: Record<string, unknown> = {
  'platform.id': PLATFORM_ID,
  'auth.adminAccessKey': ADMIN_KEY,
  'auth.filesReadTokenSecret': 'secret of read tokens on all cores',
  'service.name': 'Platform of tests',
  'service.serial': '1',
  'service.home': 'https://example.org/',
  'service.support': 'https://example.org/support',
  'service.terms': 'https://example.org/terms',
}

export interface EtcdCores {
  /** Returns the running node of a core. */
  node(id: string): TestNode
  /** Starts a core, again with its home if it ran before. */
  start(id: string): Promise<TestNode>
  stop(id: string): Promise<void>
  /** Stops all cores and removes their homes. */
  stopAll(): Promise<void>
}

/** Creates a home with the key of the platform. */
export async function prepareCoreHome(home: string): Promise<void> {
  await initialise(placesOf(home))
  const node = await startTestNode({}, { home })
  await writePlatformKey(node.node.store, { platform: PLATFORM_ID, key: new Secret(new Uint8Array(32).fill(3)) })
  await node.stop()
}

/** Starts the first core of a platform, and then others, which are registered as a join does. */
export async function startEtcdCores(etcd: TestEtcd, ids: readonly string[], settings: Record<string, unknown> = {}): Promise<EtcdCores> {
  const homes = new Map<string, string>()
  const nodes = new Map<string, TestNode>()
  const ports = new Map<string, number>()

  async function prepare(id: string): Promise<string> {
    const home = await mkdtemp(join(tmpdir(), `coffer-core-${id}-`))
    await initialise(placesOf(home))
    const node = await startTestNode({}, { home })
    ports.set(id, Number(new URL(node.url).port))
    await writePlatformKey(node.node.store, { platform: PLATFORM_ID, key: new Secret(new Uint8Array(32).fill(3)) })
    await node.stop()
    homes.set(id, home)
    return home
  }

  async function start(id: string): Promise<TestNode> {
    const home = homes.get(id) ?? (await prepare(id))
    const port = ports.get(id) ?? 0
    const node = await startTestNode(
      { ...SHARED, 'service.eventTypes': join(home, 'types.json'), 'platform.etcd': etcd.endpoints, 'core.id': id, 'core.url': `http://127.0.0.1:${port}/`, 'http.port': port, ...settings },
      { home },
    )
    nodes.set(id, node)
    return node
  }

  const first = ids[0] ?? 'one'
  for (const id of ids) {
    if (id !== first) {
      await nodes.get(first)?.node.registry.cores.change(id, (now) => now ?? { id, url: null, ip: null, ipv6: null, cname: null, hosting: null, available: true, state: 'active', identity: null, settings: {}, version: null, added: 0 })
    }
    await start(id)
  }

  return {
    node(id) {
      const node = nodes.get(id)
      if (node === undefined) throw new Error(`core ${id} does not run`)
      return node
    },
    start,
    async stop(id) {
      await nodes.get(id)?.stop()
      nodes.delete(id)
    },
    async stopAll() {
      for (const node of nodes.values()) await node.stop()
      for (const home of homes.values()) await rm(home, { recursive: true, force: true })
    },
  }
}
