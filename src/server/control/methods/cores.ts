/** Operator methods for the cores of a platform. */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { assertKnown, removeCore } from '../../platform/joining/removeCore.js'
import { listTokens, revokeTokens, tokenState, TOKEN_LIFE, type JoinToken } from '../../platform/joining/tokens.js'
import type { CoreRecord, CoreView, Registry } from '../../platform/registry/port.js'
import { ipAddress } from '../../config/dnsRecords.js'
import { webAddress } from '../../config/setting.js'
import { CORE_ID_FORM } from '../../config/settings/platform.js'
import { withSlash } from '../../platform/cores/ownCore.js'
import { operatorMethod } from '../operatorMethod.js'

const coreId = z.string().regex(CORE_ID_FORM).describe('Id of the core.')
const address = webAddress.schema()
const hosting = z.string().min(1).max(200)

const Core = z.object({
  id: z.string().describe('Id of the core.'),
  url: z.string().nullable().describe('Public address; null if it follows from the id and the domain of the platform.'),
  ip: z.string().nullable().describe('IPv4 address, for the name servers of the platform.'),
  ipv6: z.string().nullable().describe('IPv6 address, for the name servers of the platform.'),
  hosting: z.string().nullable().describe('Key of its hosting; null if not set.'),
  available: z.boolean().describe('true if it accepts new accounts.'),
  state: z.enum(['pending', 'active', 'draining', 'lost']).describe('pending: added, but not joined yet; active: in service; draining: its accounts are being moved; lost: given up.'),
  isLive: z.boolean().describe('true if it is running and reaches the registry.'),
  version: z.string().nullable().describe('Version of coffer; null before it started.'),
  added: z.number().describe('Time of its addition, in seconds since 1970; 0 if unknown.'),
  userCount: z.number().describe('Number of accounts.'),
})

const Token = z.object({
  core: z.string().describe('Id of the core that it admits.'),
  state: z.enum(['open', 'consumed', 'expired']).describe('open: can be used; consumed: was used.'),
  issuedAt: z.number().describe('Time of its creation, in seconds since 1970.'),
  expiresAt: z.number().describe('Time of its expiry, in seconds since 1970.'),
  consumedAt: z.number().nullable().describe('Time of its use; null if unused.'),
  consumerIp: z.string().nullable().describe('Address of the client that used it; null if unknown.'),
})

const tokenOf = (token: JoinToken, now: number): z.output<typeof Token> => {
  const { coreId: core, issuedAt, expiresAt, consumedAt = null, consumerIp = null } = token
  return { core, state: tokenState(token, now), issuedAt, expiresAt, consumedAt, consumerIp }
}

async function viewOf({ homes }: Pick<Registry, 'homes'>, { id, url, ip, ipv6, hosting: of, available, state, isLive, version, added }: CoreView): Promise<z.output<typeof Core>> {
  return { id, url, ip, ipv6, hosting: of, available, state, isLive, version, added, userCount: await homes.count(id) }
}

/** Returns the names of the shared settings with different values on the cores that have joined. */
function differingSettings(cores: readonly CoreView[]): string[] {
  const joined = cores.filter(({ state, settings }) => state !== 'lost' && Object.keys(settings).length > 0)
  const names = new Set(joined.flatMap(({ settings }) => Object.keys(settings)))
  return [...names].filter((name) => new Set(joined.map(({ settings }) => settings[name])).size > 1).sort()
}

const list = operatorMethod({
  id: 'cores.list',
  summary: 'Lists the cores of the platform with their state.',
  input: z.strictObject({}),
  output: () => z.object({
    cores: z.array(Core).describe('The cores, sorted by id.'),
    differingSettings: z.array(z.string()).describe('Settings that must be equal on all cores, but are not.'),
  }),
  fails: ['platform-unavailable'],
  async run({ node: { registry } }) {
    const cores = registry.cores.list().sort((a, b) => (a.id < b.id ? -1 : 1))
    return { cores: await Promise.all(cores.map((core) => viewOf(registry, core))), differingSettings: differingSettings(cores) }
  },
})

const show = operatorMethod({
  id: 'cores.show',
  summary: 'Returns one core of the platform with its join tokens.',
  input: z.strictObject({ id: coreId }),
  output: () => z.object({ core: Core.describe('The core.'), tokens: z.array(Token).describe('Its join tokens, the newest first.') }),
  fails: ['unknown-resource', 'platform-unavailable'],
  async run({ node: { registry, clock } }, { id }) {
    const core = registry.cores.get(id)
    if (core === undefined) throw unknownCore(id)
    const tokens = (await listTokens(registry.records)).filter((token) => token.coreId === id)
    return { core: await viewOf(registry, core), tokens: tokens.map((token) => tokenOf(token, clock.now())) }
  },
})

const add = operatorMethod({
  id: 'cores.add',
  summary: 'Adds a core to the platform, and returns the encrypted bundle with which it joins.',
  localCommand: 'coffer cores add',
  input: z.strictObject({
    id: coreId,
    url: address.nullish().describe('Public address; required when accounts are addressed by path.'),
    ip: ipAddress(4).nullish().describe('IPv4 address.'),
    ipv6: ipAddress(6).nullish().describe('IPv6 address.'),
    hosting: hosting.nullish().describe('Key of a hosting.'),
    ttlSeconds: z.number().int().min(60).max(30 * 86_400).default(TOKEN_LIFE).describe('Seconds for which the bundle can be used.'),
  }),
  output: () => z.object({
    core: z.object({ id: z.string().describe('Id of the core.'), url: z.string().nullable().describe('Public address.') }).describe('The core.'),
    bundle: z.string().describe('The encrypted bundle, as text.'),
    passphrase: z.string().describe('Its passphrase, which is not stored.'),
    expiresAt: z.number().describe('Time of its expiry, in seconds since 1970.'),
  }),
  fails: ['invalid-operation', 'item-already-exists', 'platform-unavailable'],
  async run({ node }, { id, url = null, ip = null, ipv6 = null, hosting: of = null, ttlSeconds }) {
    const { addCore } = await import('../../platform/joining/addCore.js')
    const { registry, store, config, clock } = node
    const file = config.get('platform.etcdCa')
    const deps = { registry, store, config, publicBase: () => node.publicBase(), now: () => clock.now(), etcdCa: () => (file === null ? Promise.resolve(null) : readFile(file, 'utf8')) }
    if (registry.isShared && url === null && (config.get('dnsLess.isActive') || config.get('dns.domain') === null)) {
      throw new Failure('invalid-operation', 'The address of the core is missing: accounts of this platform are addressed by path. Use --url.')
    }
    const { core, bundle, passphrase, expiresAt } = await addCore(deps, { id, url: url === null ? null : withSlash(url), ip, ipv6, hosting: of }, ttlSeconds)
    return { core: { id: core.id, url: core.url }, bundle, passphrase: passphrase.reveal(), expiresAt }
  },
})

const tokens = operatorMethod({
  id: 'cores.tokens',
  summary: 'Lists the join tokens of the platform, without their values.',
  input: z.strictObject({}),
  output: () => z.object({ tokens: z.array(Token).describe('The tokens, the newest first.') }),
  fails: ['platform-unavailable'],
  run: async ({ node: { registry, clock } }) => ({ tokens: (await listTokens(registry.records)).map((token) => tokenOf(token, clock.now())) }),
})

const revoke = operatorMethod({
  id: 'cores.revokeTokens',
  summary: 'Revokes the join tokens of a core.',
  input: z.strictObject({ core: coreId }),
  output: () => z.object({ core: z.string().describe('Id of the core.'), revoked: z.number().describe('Number of tokens that could still be used.') }),
  fails: ['platform-unavailable'],
  run: async ({ node: { registry, clock } }, { core }) => ({ core, revoked: await revokeTokens(registry.records, core, clock.now()) }),
})

const set = operatorMethod({
  id: 'cores.set',
  summary: 'Changes what the platform knows of a core.',
  input: z.strictObject({
    id: coreId,
    available: z.boolean().optional().describe('true to accept new accounts.'),
    hosting: hosting.nullish().describe('Key of its hosting; null for none.'),
    url: address.nullish().describe('Public address; null for the one that follows from its id.'),
  }),
  output: () => z.object({ core: Core.describe('The core.') }),
  fails: ['unknown-resource', 'invalid-operation', 'platform-unavailable'],
  async run({ node: { registry } }, { id, available, hosting: of, url }) {
    assertKnown(registry.cores, id)
    let changed: CoreRecord | undefined
    await registry.cores.change(id, (core) => {
      if (core === undefined) return undefined
      changed = {
        ...core,
        ...(available === undefined ? {} : { available }),
        ...(of === undefined ? {} : { hosting: of }),
        ...(url === undefined ? {} : { url: url === null ? null : withSlash(url) }),
      }
      return changed
    })
    if (changed === undefined) throw unknownCore(id)
    return { core: await viewOf(registry, { ...changed, isLive: registry.cores.get(id)?.isLive ?? false }) }
  },
})

const remove = operatorMethod({
  id: 'cores.remove',
  summary: 'Removes a core without accounts from the platform.',
  input: z.strictObject({ id: coreId }),
  output: () => z.object({ coreDeletion: z.object({ id: z.string().describe('Id of the core.') }).describe('The removed core.') }),
  fails: ['unknown-resource', 'invalid-operation', 'platform-unavailable'],
  async run({ node: { registry, clock } }, { id }) {
    await removeCore(registry, id, clock.now())
    return { coreDeletion: { id } }
  },
})

const ack = operatorMethod({
  id: 'cores.ack',
  summary: 'Sends the acknowledgement with which this node joins its platform.',
  localCommand: 'coffer cores ack',
  input: z.strictObject({}),
  output: () => z.object({ core: z.string().describe('Id of this core.'), cores: z.array(z.string()).describe('Ids of the cores of the platform.') }),
  fails: ['invalid-operation', 'invalid-body', 'token-invalid', 'token-coreid-mismatch', 'core-not-pre-registered', 'platform-unavailable', 'too-many-attempts'],
  async run({ node: { store } }) {
    const { acknowledgeJoin } = await import('../../platform/joining/joinPlatform.js')
    const { coreId: core, cores } = await acknowledgeJoin(store)
    return { core, cores }
  },
})

const unknownCore = (id: string): Failure => new Failure('unknown-resource', `The platform has no core "${id}".`, { id })

export const coreMethods = [list, show, add, tokens, revoke, set, remove, ack] as const
