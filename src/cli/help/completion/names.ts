/** Names known to a node that completion offers. */
import { join } from 'node:path'
import { listOf, textOf, type Record_ } from '../../client/answer.js'
import { otherOf } from '../../commands/delegations/relation.js'
import { baseId } from '../../client/access.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { readRegistry } from '../../client/nodeRegistry.js'
import type { Names } from '../../framework/option.js'
import type { Environment } from '../../framework/paths.js'
import { accountOf } from '../../client/user.js'

/**
 * Returns the names of a kind. Names that a shell would interpret are left out or replaced by their ids: other people
 * choose names, and shells expand completions.
 * @param user account to search; the only one if undefined
 */
export async function namesOf(client: NodeClient, kind: Exclude<Names, 'backup' | 'node'>, user: string | undefined): Promise<string[]> {
  return (await loaders[kind](client, user)).filter(isPlain)
}

/** Returns the backups in a folder as paths. */
export async function backupsIn(folder: string): Promise<string[]> {
  const { archivesIn } = await import('../../../store/backup/archive.js')
  return (await archivesIn(folder)).map(({ name }) => join(folder, name)).filter(isPlain)
}

/** Returns the names of the remote nodes. */
export const nodesIn = (env: Environment): string[] => Object.keys(readRegistry(env).nodes).filter(isPlain)

const loaders: Record<Exclude<Names, 'backup' | 'node'>, (client: NodeClient, user: string | undefined) => Promise<string[]>> = {
  user: async (client) => (await client.call('users.names', {}, {})).users.map((each) => each.username),
  stream: async (client, user) => idsWithin((await client.call('streams.get', {}, await accountOf(client, user))).streams),
  access: async (client, user) => {
    const { accesses } = await client.call('accesses.get', {}, await accountOf(client, user))
    return unique(accesses.map((each) => nameOrId(each.name, baseId(each.id))))
  },
  client: async (client) => (await client.call('oauth.clients.list', {}, {})).clients.map((each) => each.client_id),
  webhook: async (client, user) => ids((await client.call('webhooks.get', {}, await accountOf(client, user))).webhooks),
  event: async (client, user) => ids((await latest(client, user))['events']).slice(0, MAX_EVENTS),
  series: async (client, user) => ids(listOf((await latest(client, user))['events']).filter(({ type }) => textOf(type).startsWith('series:'))),
  // Accounts on both sides of delegations, including invitations.
  delegate: async (client, user) => others((await client.call('delegations.listDelegates', {}, await accountOf(client, user))).delegates),
  managed: async (client, user) => others((await client.call('delegations.listControlled', {}, await accountOf(client, user))).controlled),
  peer: async (client) => unique((await client.call('sync.peers', {}, {})).peers.map((each) => nameOrId(each.name, each.id))),
}

/** Number of events offered; older events are rarely completed by id. */
const MAX_EVENTS = 50
const MAX_EVENTS_READ = 200

const latest = async (client: NodeClient, user: string | undefined): Promise<Record_> =>
  client.call('events.get', { limit: MAX_EVENTS_READ, state: 'all' }, await accountOf(client, user))

const ids = (items: unknown): string[] => listOf(items).map((each) => textOf(each['id']))

const others = (relations: unknown): string[] => listOf(relations).map(otherOf)

const idsWithin = (streams: readonly Record_[]): string[] =>
  streams.flatMap((each) => [textOf(each['id']), ...idsWithin(listOf(each['children']))])

const nameOrId = (name: string, id: string): string => (isPlain(name) ? name : id)

const unique = (words: readonly string[]): string[] => [...new Set(words)]

/** Characters that no shell interprets; colons separate words in bash. */
const isPlain = (word: string): boolean => /^[\p{L}\p{N}_@%+,./][\p{L}\p{N}_@%+,./-]*$/u.test(word)
