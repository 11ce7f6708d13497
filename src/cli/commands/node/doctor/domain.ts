/** Checks that the name server of the node answers, and that other resolvers find it. */
import { Resolver } from 'node:dns/promises'
import { SERVER_NAME } from '../../../../server/config/apiEndpoint.js'
import type { Config } from '../../../../server/config/config.js'
import type { Context } from '../../../command.js'
import { fault, fine, off, warning, withFacts, type Check, type Finding } from './finding.js'

const TIMEOUT_MS = 3000

export const domain: Check = {
  name: 'domain',
  async run(doctorContext) {
    const { config, context } = doctorContext
    if (config?.get('dns.active') !== true) return [off('the name server is disabled: dns.active is not set')]
    const own = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
    own.setServers([ownServer(config)])
    const publicResolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
    return withFacts(() => domainFindings({ own, deps: publicResolver }, config, context))(doctorContext)
  },
}

type DomainDeps = Pick<Resolver, 'resolve4' | 'resolve6' | 'resolveNs'>

/** Returns the findings about a domain; `deps` queries public resolvers. */
export async function domainFindings({ own, deps: publicResolver }: { own: Pick<Resolver, 'resolveSoa'>; deps: DomainDeps }, config: Config, { commandFor }: Pick<Context, 'commandFor'>): Promise<Finding[]> {
  const name = config.get('dns.domain') ?? ''
  const failure = await own.resolveSoa(name).then(() => undefined, codeOf)
  if (failure !== undefined) return [fault(`the name server does not answer at ${ownServer(config)}: ${failure}`, commandFor('logs', '--level', 'warn'))]
  const others = config.get('dns.records.root').ns
  return [fine(`the name server answers for ${name} at ${ownServer(config)}`), others === undefined ? await ownName(name, publicResolver, config) : await otherNames(name, others, publicResolver)]
}

/** Checks that other resolvers find the node under its name as the only name server of its domain. */
async function ownName(name: string, publicResolver: DomainDeps, config: Config): Promise<Finding> {
  const server = `${SERVER_NAME}.${name}`
  const ip = config.get('dns.publicIp')
  const address = ip ?? config.get('dns.publicIp6') ?? ''
  const found = await (ip === null ? publicResolver.resolve6(server) : publicResolver.resolve4(server)).catch(codeOf)
  const delegate = `where ${name} is registered, name ${server} as its name server, with the address ${address}`
  if (Array.isArray(found)) {
    return found.includes(address) ? fine(`other resolvers find ${server} at ${address}`) : warning(`other resolvers find ${server} at ${found.join(', ')}, and not at ${address}`, delegate)
  }
  const isPort = config.get('dns.port') !== 53
  return warning(`other resolvers do not find ${server}: ${found}`, isPort ? `${delegate}; port 53 there must lead to port ${config.get('dns.port')}` : delegate)
}

/** Checks that other resolvers return the name servers in `dns.records.root`. */
async function otherNames(name: string, named: readonly string[], publicResolver: DomainDeps): Promise<Finding> {
  const servers = sortedNames(named)
  const found = await publicResolver.resolveNs(name).catch(codeOf)
  const delegate = `where ${name} is registered, name ${servers} as its name servers, or change dns.records.root.ns`
  if (!Array.isArray(found)) return warning(`other resolvers find no name servers of ${name}: ${found}`, delegate)
  const foundNames = sortedNames(found)
  return foundNames === servers ? fine(`other resolvers find the name servers of ${name}: ${servers}`) : warning(`other resolvers find ${foundNames} as name servers of ${name}, and not ${servers}`, delegate)
}

const sortedNames = (names: readonly string[]): string => names.map((name) => name.toLowerCase().replace(/\.$/, '')).sort().join(', ')

/** Returns the address at which the node answers DNS queries. */
function ownServer(config: Config): string {
  const ip = config.get('dns.ip')
  return `${ip === '0.0.0.0' || ip === 'localhost' ? '127.0.0.1' : ip.includes(':') ? `[${ip}]` : ip}:${config.get('dns.port')}`
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : String(error))
