/** Checks that the name server of the node answers, and that other resolvers find it. */
import { Resolver } from 'node:dns/promises'
import { SERVER_NAME } from '../../../../server/config/apiEndpoint.js'
import type { Config } from '../../../../server/config/config.js'
import type { Context } from '../../../command.js'
import { fault, fine, off, warning, withFacts, type Check, type Finding } from './finding.js'

const PATIENCE_MS = 3000

export const domain: Check = {
  name: 'domain',
  async run(patient) {
    const { config, context } = patient
    if (config?.get('dns.active') !== true) return [off('the name server is disabled: dns.active is not set')]
    const own = new Resolver({ timeout: PATIENCE_MS, tries: 1 })
    own.setServers([ownServer(config)])
    const environment = new Resolver({ timeout: PATIENCE_MS, tries: 1 })
    return withFacts(() => domainFindings({ own, deps: environment }, config, context))(patient)
  },
}

type DomainDeps = Pick<Resolver, 'resolve4' | 'resolve6' | 'resolveNs'>

/** Returns the findings about a domain; `deps` queries public resolvers. */
export async function domainFindings({ own, deps: environment }: { own: Pick<Resolver, 'resolveSoa'>; deps: DomainDeps }, config: Config, { commandFor }: Pick<Context, 'commandFor'>): Promise<Finding[]> {
  const name = config.get('dns.domain') ?? ''
  const options = await own.resolveSoa(name).then(() => undefined, codeOf)
  if (options !== undefined) return [fault(`the name server does not answer at ${ownServer(config)}: ${options}`, commandFor('logs', '--level', 'warn'))]
  const others = config.get('dns.records.root').ns
  return [fine(`the name server answers for ${name} at ${ownServer(config)}`), others === undefined ? await ownName(name, environment, config) : await otherNames(name, others, environment)]
}

/** Checks that other resolvers find the node under its name as the only name server of its domain. */
async function ownName(name: string, environment: DomainDeps, config: Config): Promise<Finding> {
  const server = `${SERVER_NAME}.${name}`
  const ip = config.get('dns.publicIp')
  const address = ip ?? config.get('dns.publicIp6') ?? ''
  const found = await (ip === null ? environment.resolve6(server) : environment.resolve4(server)).catch(codeOf)
  const delegate = `where ${name} is registered, name ${server} as its name server, with the address ${address}`
  if (Array.isArray(found)) {
    return found.includes(address) ? fine(`others find ${server} at ${address}`) : warning(`others find ${server} at ${found.join(', ')}, and not at ${address}`, delegate)
  }
  const isPort = config.get('dns.port') !== 53
  return warning(`others do not find ${server}: ${found}`, isPort ? `${delegate}; port 53 there must lead to port ${config.get('dns.port')}` : delegate)
}

/** Checks that other resolvers return the name servers in `dns.records.root`. */
async function otherNames(name: string, named: readonly string[], environment: DomainDeps): Promise<Finding> {
  const servers = sortedNames(named)
  const found = await environment.resolveNs(name).catch(codeOf)
  const delegate = `where ${name} is registered, name ${servers} as its name servers, or change dns.records.root.ns`
  if (!Array.isArray(found)) return warning(`others find no name servers of ${name}: ${found}`, delegate)
  const foundNames = sortedNames(found)
  return foundNames === servers ? fine(`others find the name servers of ${name}: ${servers}`) : warning(`others find ${foundNames} as name servers of ${name}, and not ${servers}`, delegate)
}

const sortedNames = (names: readonly string[]): string => names.map((name) => name.toLowerCase().replace(/\.$/, '')).sort().join(', ')

/** Returns the address at which the node answers DNS queries. */
function ownServer(config: Config): string {
  const ip = config.get('dns.ip')
  return `${ip === '0.0.0.0' || ip === 'localhost' ? '127.0.0.1' : ip.includes(':') ? `[${ip}]` : ip}:${config.get('dns.port')}`
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : String(error))
