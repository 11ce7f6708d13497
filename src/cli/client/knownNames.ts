/** Objects of a node by the names that people type: for completion, and for suggestions after an unknown name. */
import { join } from 'node:path'
import type { Names } from '../framework/nameKind.js'
import type { Environment } from '../framework/paths.js'
import { baseId } from './access.js'
import { listOf, recordOf, textOf, type Record_ } from './answer.js'
import type { AccountsClient, NodeClient } from './nodeClient.js'
import { readRegistry } from './nodeRegistry.js'
import { accountOf } from './user.js'

/** Kinds whose objects a node lists. */
export type NodeNames = Exclude<Names, 'backup' | 'node'>

/** The words that name an object: its id, and its name if it has one. */
export interface KnownName {
  id: string
  name?: string
  /** A name that people see, which commands do not accept. */
  title?: string
}

/**
 * Lists the objects of a kind.
 * @param user account to search; the default or only one if undefined
 * @throws CommandError of accountOf; failures of the node
 */
export const knownNames = (client: AccountsClient, kind: NodeNames, user: string | undefined): Promise<KnownName[]> =>
  loaders[kind](client, user)

/**
 * Returns the names of a kind for completion. Names that a shell would interpret are left out or replaced by their ids: other
 * people choose names, and shells expand completions.
 * @param user account to search; the only one if undefined
 */
export async function namesOf(client: NodeClient, kind: NodeNames, user: string | undefined): Promise<string[]> {
  const known = await knownNames(client, kind, user)
  return [...new Set(known.map(({ id, name }) => (name !== undefined && isPlain(name) ? name : id)).filter(isPlain))]
}

/** Returns the backups in a folder as paths. */
export async function backupsIn(folder: string): Promise<string[]> {
  const { archivesIn } = await import('../../store/backup/archive.js')
  return (await archivesIn(folder)).map(({ name }) => join(folder, name)).filter(isPlain)
}

/** Returns the names of the remote nodes. */
export const nodesIn = (env: Environment): string[] => Object.keys(readRegistry(env).nodes).filter(isPlain)

type Loader = (client: AccountsClient, user: string | undefined) => Promise<KnownName[]>

const loaders: Record<NodeNames, Loader> = {
  user: async (client) => named((await client.call('users.names', {}, {})).users.map(({ username }) => username)),
  stream: async (client, user) => streamsWithin((await client.call('streams.get', { state: 'all' }, await accountOf(client, user))).streams),
  access: async (client, user) => {
    const { accesses } = await client.call('accesses.get', {}, await accountOf(client, user))
    return accesses.map(({ id, name }) => ({ id: baseId(id), name }))
  },
  client: async (client) => (await client.call('oauth.clients.list', {}, {})).clients.map((each) => ({ id: each.client_id })),
  webhook: async (client, user) => ids((await client.call('webhooks.get', {}, await accountOf(client, user))).webhooks),
  event: async (client, user) => ids((await latest(client, user))['events']).slice(0, MAX_EVENTS),
  series: async (client, user) => ids(listOf((await latest(client, user))['events']).filter(({ type }) => textOf(type).startsWith('series:'))),
  // Accounts on both sides of delegations, including invitations.
  delegate: async (client, user) => others((await client.call('delegations.listDelegates', {}, await accountOf(client, user))).delegates),
  managed: async (client, user) => others((await client.call('delegations.listControlled', {}, await accountOf(client, user))).controlled),
  peer: async (client) => (await client.call('sync.peers', {}, {})).peers.map(({ id, name }) => ({ id, name })),
  session: async (client, user) => {
    const { sessions } = await client.call('sessions.list', user === undefined ? {} : { username: user }, {})
    return sessions.map(({ id, app }) => ({ id, name: app }))
  },
  consent: async (client, user) => {
    const as = await accountOf(client, user)
    const inStream = async (streamId: string): Promise<KnownName[]> =>
      ids((await client.call('events.get', { streams: [streamId], types: CONSENT_TYPES, limit: MAX_EVENTS }, as)).events)
    return [...(await inStream(':_cmc:apps')), ...(await inStream(':_cmc:inbox'))]
  },
  request: async (client) => (await client.call('requests.list', {}, {})).requests.map(({ key }) => ({ id: key })),
  core: async (client) => named((await client.call('cores.list', {}, {})).cores.map(({ id }) => id)),
  record: async (client) => named((await client.call('dns.list', {}, {})).names.map(({ subdomain }) => subdomain)),
  app: async (client) => ids((await client.call('apps.list', {}, {})).apps),
  invitation: async (client) => ids((await client.call('invitations.list', {}, {})).invitations),
}

const CONSENT_TYPES = ['consent/request-cmc', 'consent/accept-cmc']

/** Number of events offered; older events are rarely named by id. */
const MAX_EVENTS = 50
const MAX_EVENTS_READ = 200

const latest = async (client: AccountsClient, user: string | undefined): Promise<Record_> =>
  client.call('events.get', { limit: MAX_EVENTS_READ, state: 'all' }, await accountOf(client, user))

const named = (words: readonly string[]): KnownName[] => words.map((id) => ({ id }))

const ids = (items: unknown): KnownName[] => listOf(items).map((each) => ({ id: textOf(each['id']) }))

const others = (relations: unknown): KnownName[] =>
  named(listOf(relations).map((relation) => textOf(recordOf(relation['delegate'] ?? relation['controlled'])['username'])))

const streamsWithin = (streams: readonly Record_[]): KnownName[] =>
  streams.flatMap((each) => [{ id: textOf(each['id']), title: textOf(each['name']) }, ...streamsWithin(listOf(each['children']))])

/** Characters that no shell interprets; colons separate words in bash. */
const isPlain = (word: string): boolean => /^[\p{L}\p{N}_@%+,./][\p{L}\p{N}_@%+,./-]*$/u.test(word)
