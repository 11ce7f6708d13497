/** Runs the name server of a node: builds its zone from settings, stored records and accounts, and opens the sockets. */
import type { NameRecords } from '../../config/dnsRecords.js'
import type { Context } from '../../call/context.js'
import { DNS_FAMILY } from './names.js'
import { listenNames, type Listening } from './server.js'
import { createPlaces } from './places.js'
import { createZone } from './zone.js'

/** Starts the name server for the domain of the settings. @throws NameServerProblem */
export async function runNameServer({ config, registry, log, clock }: Context): Promise<Listening> {
  const { records } = registry
  const domain = config.get('dns.domain') ?? ''
  const fixed = new Map(Object.entries(config.get('dns.staticEntries')))
  const stored = new Map<string, NameRecords>()
  // Empty non-terminals: parents of names with records. They exist even without records.
  let above = namesAbove([...fixed.keys()])
  let serial = Math.floor(clock.now())
  const note = (id: string, value: unknown): unknown => (value === undefined ? stored.delete(id) : stored.set(id, value as NameRecords))
  // Changes are applied in order, and queries wait for them: an acknowledged change is visible.
  let known = Promise.resolve()
  const read = (reading: () => Promise<void>): void => {
    known = known.then(reading).then(() => void (above = namesAbove([...fixed.keys(), ...stored.keys()]))).catch((error: unknown) => log.error('DNS records could not be read', { error: String(error) }))
  }
  const unwatch = records.watch(DNS_FAMILY, (id) => {
    serial = Math.max(serial + 1, Math.floor(clock.now()))
    read(async () => void note(id, await records.get(DNS_FAMILY, id)))
  })
  read(async () => {
    for (const { id, value } of await records.list(DNS_FAMILY)) note(id, value)
  })
  const zone = createZone({
    domain,
    ttl: config.get('dns.defaultTTL'),
    root: config.get('dns.records.root'),
    places: createPlaces({ registry, config }),
    recordsOf: (subdomain) => fixed.get(subdomain) ?? stored.get(subdomain),
    hasBelow: (subdomain) => above.has(subdomain),
    serial: () => serial,
  })
  const ip6 = config.get('dns.ip6')
  const addresses = [config.get('dns.ip'), ...(ip6 === null ? [] : [ip6])]
  try {
    const { port, stop } = await listenNames({ zone: (question) => known.then(() => zone(question)), addresses, port: config.get('dns.port'), maxConnections: config.get('dns.tcpMaxConnections'), log })
    log.info('the name server is running', { domain, port })
    return {
      port,
      async stop() {
        unwatch()
        await stop()
      },
    }
  } catch (error) {
    unwatch()
    throw error
  }
}

/** Returns the parents of the names: of a.b.c, b.c and c. */
function namesAbove(names: readonly string[]): ReadonlySet<string> {
  const above = new Set<string>()
  for (const name of names) {
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) above.add(name.slice(dot + 1))
  }
  return above
}
