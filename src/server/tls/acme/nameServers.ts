/** Waits until the name servers of the other cores answer with a challenge: authorities may ask any of them. */
import { Resolver } from 'node:dns/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { CoreDirectory } from '../../platform/registry/port.js'

const QUERY_MS = 1000
const PAUSE_MS = 200
/** Errors of hosts without a name server. */
const NO_SERVER: ReadonlySet<string> = new Set(['ECONNREFUSED'])

/** A name server: `address` with its port, `192.0.2.1:53`. */
interface NameServer {
  core: string
  address: string
}

/** Returns the name servers of the other cores that are live. Cores without an IP address are left out. */
export function otherNameServers(cores: Pick<CoreDirectory, 'list'>, own: string, port: number): NameServer[] {
  return cores.list().flatMap(({ id, ip, isLive }) => (id === own || !isLive || ip === null ? [] : [{ core: id, address: `${ip}:${port}` }]))
}

/**
 * Waits until all servers answer with a TXT record, at most `withinMs`. Hosts that refuse the query run no name server. Returns the
 * cores whose servers did not answer with it.
 */
export async function awaitTextRecord(servers: readonly NameServer[], name: string, text: string, withinMs: number): Promise<string[]> {
  const end = performance.now() + withinMs
  const missing = await Promise.all(
    servers.map(async ({ core, address }) => {
      for (;;) {
        if (await answersWith(address, name, text)) return undefined
        if (performance.now() >= end) return core
        await wait(PAUSE_MS, undefined, { ref: false })
      }
    }),
  )
  return missing.filter((core) => core !== undefined)
}

async function answersWith(address: string, name: string, text: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: 1 })
  try {
    resolver.setServers([address])
    return (await resolver.resolveTxt(name)).some((parts) => parts.join('') === text)
  } catch (error) {
    return NO_SERVER.has(String((error as { code?: unknown }).code))
  }
}
