/** Operator methods for the platform of a node: its registry, its creation, and joining one. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { listUsernames } from '../../../store/accounts/users.js'
import { Failure } from '../../../store/model/failure.js'
import { Secret } from '../../../store/model/secret.js'
import { describeService } from '../../api/serviceInfo/describe.js'
import type { StoreMember } from '../../platform/registry/port.js'
import type { Node } from '../../index.js'
import { operatorMethod } from '../operatorMethod.js'

const Member = z.object({
  endpoint: z.string().describe('Address of the member.'),
  problem: z.string().nullable().describe('Reason why it did not answer; null if it did.'),
  version: z.string().nullable().describe('Version of etcd.'),
  isLeader: z.boolean().nullable().describe('true for the leader; null if unknown.'),
  dbBytes: z.number().nullable().describe('Size of its database; null if unknown.'),
  alarms: z.array(z.string()).describe('Its alarms, such as NOSPACE for a full database.'),
})

const status = operatorMethod({
  id: 'platform.status',
  summary: 'Returns the state of the registry that the cores of the platform share.',
  input: z.strictObject({}),
  output: () => z.object({
    platform: z.string().nullable().describe('Id of the platform; null on a node that is not part of one.'),
    core: z.string().describe('Id of this core.'),
    isReachable: z.boolean().describe('true if this core reaches the registry: its presence there was renewed in time.'),
    lag: z.number().nullable().describe('Changes of the registry that this core has not seen; null if unknown.'),
    unsettled: z.number().describe('Changes of names of this core that the registry has not confirmed.'),
    canAddCores: z.boolean().describe('true if this core has the key of the certificate authority.'),
    pendingAck: z.boolean().describe('true if this core has yet to acknowledge that it joined.'),
    cores: z.number().describe('Number of cores.'),
    liveCores: z.number().describe('Number of cores that are running.'),
    certificateExpires: z.number().nullable().describe('End of validity of the certificate of this core for etcd, in seconds since 1970; null without one.'),
    members: z.array(Member).describe('Members of etcd; none on a platform of one core.'),
  }),
  fails: ['platform-unavailable'],
  async run({ node: { registry, store, config } }) {
    const { readAuthority, readPendingAck } = await import('../../platform/joining/platformKey.js')
    const { platform } = registry
    const cores = registry.cores.list()
    const members = (await platform?.members()) ?? []
    return {
      platform: platform?.id ?? null,
      core: registry.core,
      isReachable: platform?.isReachable() ?? true,
      lag: platform === undefined ? 0 : lagOf(platform.revision, members),
      unsettled: platform?.unsettled ?? 0,
      canAddCores: platform !== undefined && readAuthority(store) !== undefined,
      pendingAck: readPendingAck(store) !== undefined,
      cores: cores.length,
      liveCores: cores.filter(({ isLive }) => isLive).length,
      certificateExpires: await expiryOf(config.get('platform.etcdCert')),
      members: members.map(({ endpoint, problem = null, version = null, isLeader = null, dbBytes = null, alarms = [] }) => ({ endpoint, problem, version, isLeader, dbBytes, alarms })),
    }
  },
})

/** Returns the number of changes between the revision that this core has seen and the latest of the members. */
function lagOf(seen: number, members: readonly StoreMember[]): number | null {
  const revisions = members.flatMap(({ revision }) => revision ?? [])
  return revisions.length === 0 ? null : Math.max(0, Math.max(...revisions) - seen)
}

/** Returns the end of validity of a certificate file, in seconds since 1970; null when it cannot be read. */
async function expiryOf(file: string | null): Promise<number | null> {
  if (file === null) return null
  try {
    return Date.parse(new X509Certificate(await readFile(file)).validTo) / 1000
  } catch {
    return null
  }
}

const check = operatorMethod({
  id: 'platform.check',
  summary: 'Compares the names of the accounts of this core with the registry, and claims missing ones.',
  input: z.strictObject({ repair: z.boolean().default(false).describe('true to claim missing names, and to create the record of this core if the registry lost it.') }),
  output: () => z.object({
    platform: z.string().nullable().describe('Id of the platform; null on a node that is not part of one, where nothing is compared.'),
    core: z.string().describe('Id of this core.'),
    accounts: z.number().describe('Number of accounts compared.'),
    missing: z.number().describe('Number of names and accounts that the registry lacked.'),
    lacksCore: z.boolean().describe('true if the registry lacked the record of this core.'),
    repaired: z.boolean().describe('true if what was missing has been claimed and created.'),
    conflicts: z
      .array(z.object({ username: z.string().describe('Username of the account of this core.'), field: z.string().describe('Field of the name; id if the account is on another core.'), value: z.string().describe('The name.') }))
      .describe('Names of accounts of this core that belong to other accounts in the registry.'),
    absent: z.array(z.string()).describe('Ids of accounts that the registry places on this core, which does not have them.'),
  }),
  fails: ['invalid-operation', 'platform-unavailable'],
  async run({ node: { registry } }, { repair }) {
    const { core, platform } = registry
    if (platform === undefined) {
      if (repair) throw new Failure('invalid-operation', 'This node is the only core of its platform: it has no registry to repair. Repair its own index with coffer store repair.')
      return { platform: null, core, accounts: 0, missing: 0, lacksCore: false, repaired: false, conflicts: [], absent: [] }
    }
    const { accounts, missing, conflicts, absent, lacksCore } = await platform.compareNames(repair)
    return { platform: platform.id, core, accounts, missing, lacksCore, repaired: repair, conflicts: conflicts.map(({ username, name }) => ({ username, ...name })), absent }
  },
})

const init = operatorMethod({
  id: 'platform.init',
  summary: 'Creates the secrets of a platform of which this node is the first core.',
  localCommand: 'coffer platform init',
  input: z.strictObject({
    id: z.string().describe('Id of this core.'),
    url: z.string().describe('Public address of this core.'),
    etcd: z.array(z.string()).min(1).describe('Addresses of the members of etcd.'),
  }),
  output: () => z.object({
    platform: z.string().describe('Id of the platform.'),
    caPem: z.string().describe('Certificate of its authority, in PEM.'),
    etcdCert: z.string().describe('Certificate of this core for etcd, in PEM.'),
    etcdKey: z.string().describe('Key of that certificate, in PEM.'),
    settings: z.record(z.string(), z.unknown()).describe('Settings to write, by name.'),
    accounts: z.number().describe('Number of accounts, whose names are claimed at the next start.'),
  }),
  fails: ['invalid-operation'],
  async run({ node }, { id, url, etcd: endpoints }) {
    const { initPlatform } = await import('../../platform/joining/initPlatform.js')
    const { store, config, clock } = node
    const service = { serial: JSON.parse(node.serial()) as string, eventTypes: eventTypesOf(config.get('service.eventTypes'), describeService(node).eventTypes, node.publicBase(), url) }
    const { id: platform, caPem, etcd, settings } = await initPlatform({ store, config, service, now: () => clock.now() }, { id, url, endpoints })
    return { platform, caPem, etcdCert: etcd.certPem, etcdKey: etcd.keyPem.reveal(), settings, accounts: await accountCount(node) }
  },
})

/** Returns the number of accounts in the store: the registry may not answer. */
const accountCount = async ({ store }: Pick<Node, 'store'>): Promise<number> => (await listUsernames(store.db)).length

/** Returns the setting, or the address of the built-in directory below the public address of this core. */
const eventTypesOf = (setting: string | null, own: string, base: string, url: string): string => setting ?? url.replace(/\/$/, '') + own.slice(base.length)

const issue = operatorMethod({
  id: 'platform.issueCertificate',
  summary: 'Issues a certificate of the authority of the platform, such as for a member of etcd.',
  localCommand: 'coffer platform issue-certificate',
  input: z.strictObject({
    name: z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/).describe('Common name, also a host name of the certificate.'),
    hosts: z.array(z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/)).max(20).default([]).describe('Host names and IP addresses.'),
  }),
  output: () => z.object({
    certPem: z.string().describe('The certificate, in PEM.'),
    keyPem: z.string().describe('Its key, in PEM.'),
    caPem: z.string().describe('Certificate of the authority, in PEM.'),
  }),
  fails: ['invalid-operation'],
  async run({ node: { store, clock } }, { name, hosts }) {
    const { issueForMachine } = await import('../../platform/joining/initPlatform.js')
    const { certPem, keyPem, caPem } = await issueForMachine({ store, now: () => clock.now() }, name, hosts)
    return { certPem, keyPem: keyPem.reveal(), caPem }
  },
})

const adopt = operatorMethod({
  id: 'platform.adopt',
  summary: 'Stores the key of a platform that this node joins, and the acknowledgement to send.',
  localCommand: 'coffer cores join',
  input: z.strictObject({
    platform: z.string().describe('Id of the platform.'),
    key: z.string().regex(/^[A-Za-z0-9_-]{43}$/).describe('Key of the platform, in base64url.'),
    core: z.string().describe('Id of this core.'),
    ackUrl: z.string().describe('Address that takes the acknowledgement.'),
    token: z.string().describe('Join token.'),
    caPem: z.string().describe('Certificate authority of the platform, in PEM.'),
  }),
  output: () => z.object({ platform: z.string().describe('Id of the platform.') }),
  fails: ['invalid-operation'],
  async run({ node }, { platform, key, core, ackUrl, token, caPem }) {
    const { adoptPlatform } = await import('../../platform/joining/joinPlatform.js')
    const pending = { coreId: core, ackUrl, token: new Secret(token), caPem }
    await adoptPlatform(node.store, { platform, key: new Secret<Uint8Array>(Buffer.from(key, 'base64url')) }, pending, await accountCount(node))
    return { platform }
  },
})

export const platformMethods = [status, check, init, issue, adopt] as const
