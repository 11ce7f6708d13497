/** Next steps after a name that does not exist: the nearest existing names, and the command that lists them. */
import { didYouMean, nearestNames } from '../../server/base/didYouMean.js'
import { Failure } from '../../store/model/failure.js'
import { CommandError, exitByFailure, type Hint } from '../framework/exit.js'
import type { Names } from '../framework/nameKind.js'
import type { Parameter } from '../framework/option.js'
import { shellWord } from '../framework/shell.js'
import { knownNames, type KnownName, type NodeNames } from './knownNames.js'
import type { AccountsClient } from './nodeClient.js'
import { accountNames } from './user.js'

/** Time limit in milliseconds for the search of existing names: the error is printed in any case. */
const TIMEOUT_MS = 2_000
/** Maximum number of accounts that are searched when a command names none. */
const MAX_ACCOUNTS = 10
/** Lists of at most so many names are printed when none is near. */
const MAX_LISTED = 6
/** Maximum number of typing errors in a generated id: ids of one day differ in few characters. */
const MAX_ID_DISTANCE = 2

interface KindDetails {
  plural: string
  /** Words of the command that lists the objects. */
  list: readonly string[]
  /** True when the objects belong to an account. */
  ofAccount: boolean
  /** True for names that people choose; generated ids otherwise. */
  isChosen: boolean
}

const kind = (plural: string, list: string, details: { ofAccount?: boolean; isChosen?: boolean } = {}): KindDetails => ({
  ...{ plural, list: list.split(' ') },
  ...{ ofAccount: details.ofAccount ?? true, isChosen: details.isChosen ?? true },
})

const kinds: Readonly<Record<NodeNames, KindDetails>> = {
  user: kind('accounts', 'users list', { ofAccount: false }),
  stream: kind('streams', 'streams tree'),
  access: kind('accesses', 'accesses list'),
  client: kind('clients', 'oauth clients list', { ofAccount: false }),
  peer: kind('peers', 'sync peers list', { ofAccount: false }),
  webhook: kind('webhooks', 'webhooks list', { isChosen: false }),
  event: kind('events', 'events list', { isChosen: false }),
  series: kind('latest events', 'events list', { isChosen: false }),
  delegate: kind('delegations', 'delegations list'),
  managed: kind('delegations', 'delegations list'),
  session: kind('sessions', 'sessions list'),
  consent: kind('consents', 'consents list', { isChosen: false }),
  request: kind('access requests', 'requests list', { ofAccount: false, isChosen: false }),
  app: kind('apps', 'apps list', { ofAccount: false }),
  record: kind('records', 'dns list', { ofAccount: false }),
  core: kind('cores', 'cores list', { ofAccount: false }),
  invitation: kind('invitations', 'invitations list', { ofAccount: false, isChosen: false }),
}

interface FailedCommand {
  /** Arguments and options, in this order. */
  parameters: Readonly<Record<string, Parameter<unknown>>>
  typed: Readonly<Record<string, readonly string[] | undefined>>
  /** Connection to search for names; undefined when the command had none yet. */
  client: AccountsClient | undefined
}

/** Steps to print before and after those of the error itself. */
export interface NameSuggestions {
  before: readonly Hint[]
  after: readonly Hint[]
}

interface Unknown {
  word: string
  kind?: Names
  /** Names that are known without a node. */
  suggests?: readonly string[]
}

/**
 * Returns the next steps for an error about a name that does not exist, which the error states or which is the value of a
 * parameter that names something; none for other errors. Throws nothing.
 */
export async function suggestNames(error: unknown, failed: FailedCommand): Promise<NameSuggestions> {
  const unknown = unknownOf(error, failed)
  if (unknown === undefined || !(error instanceof Error)) return { before: [], after: [] }
  const { word, suggests } = unknown
  const details = detailsOf(unknown)
  const user = failed.typed['user']?.at(-1)
  const known = suggests?.map((id) => ({ id })) ?? (await withTimeout(search(unknown, failed.client, user)))
  const near = error.message.includes('Did you mean') ? [] : nearest(word, known, details?.isChosen === false ? MAX_ID_DISTANCE : undefined)
  // Ids of the system, such as those of account fields, start with a colon.
  const chosen = known.filter(({ id }) => !id.startsWith(':'))
  const listing = details?.isChosen === true && chosen.length > 0 && chosen.length <= MAX_LISTED
  const before = near.length > 0 ? [didYouMean(near)] : listing ? [`Existing ${details.plural}: ${chosen.map(wordFor).join(', ')}`] : []
  if (details === undefined) return { before, after: [] }
  return { before, after: [[`List the ${details.plural}`, ...details.list, ...(details.ofAccount && user !== undefined ? ['--user', user] : [])]] }
}

function unknownOf(error: unknown, { parameters, typed }: FailedCommand): Unknown | undefined {
  if (error instanceof CommandError && error.unknown !== undefined) return error.unknown
  const isFailure = error instanceof Failure
  const exit = isFailure ? exitByFailure[error.id] : error instanceof CommandError ? error.exit : undefined
  if (exit !== 5 || !(error instanceof Error)) return undefined
  const text = `${error.message} ${JSON.stringify('data' in error ? (error.data ?? '') : '')}`.toLowerCase()
  const named = Object.entries(parameters).flatMap(([key, { names, suggests }]) =>
    names === undefined && suggests === undefined ? [] : (typed[key] ?? []).map((word): Unknown => ({ word, ...(names === undefined ? { suggests: suggests ?? [] } : { kind: names }) })),
  )
  const found = named.flatMap((each) => [each, ...partsOf(each)]).find(({ word }) => occursIn(text, word.toLowerCase()))
  // This failure has no message of its own with the name.
  return found ?? (isFailure && error.id === 'delegation-not-found' ? named[0] : undefined)
}

/** Returns the values of a list in one word. */
const partsOf = (each: Unknown): Unknown[] => (each.word.includes(',') ? each.word.split(',').map((word) => ({ ...each, word })) : [])

/** Checks whether a text contains a word that is no part of a longer one. */
function occursIn(text: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return word !== '' && new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, 'u').test(text)
}

const isOfNode = (name: Names | undefined): name is NodeNames => name !== undefined && name !== 'backup' && name !== 'node'

const detailsOf = ({ kind: name }: Unknown): KindDetails | undefined => (isOfNode(name) ? kinds[name] : undefined)

/** Lists the objects of a kind: of the account of the command, or of several accounts when it named none. */
async function search({ kind: name }: Unknown, client: FailedCommand['client'], user: string | undefined): Promise<KnownName[]> {
  if (client === undefined || !isOfNode(name)) return []
  try {
    return await knownNames(client, name, user)
  } catch (error) {
    const isAmbiguous = user === undefined && error instanceof CommandError && error.exit === 2
    if (!isAmbiguous) throw error
    const found: KnownName[] = []
    for (const { username } of (await accountNames(client)).slice(0, MAX_ACCOUNTS)) found.push(...(await knownNames(client, name, username)))
    return found
  }
}

function withTimeout(found: Promise<KnownName[]>): Promise<KnownName[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve([]), TIMEOUT_MS)
    void found
      .catch(() => [])
      .then(resolve)
      .finally(() => clearTimeout(timer))
  })
}

/** Returns the nearest names as they can be typed, with the titles of those that were found by their title. */
function nearest(word: string, known: readonly KnownName[], distance: number | undefined): string[] {
  const byWord = new Map<string, KnownName>()
  for (const each of known) for (const text of [each.id, each.name, each.title]) if (text !== undefined && text !== '' && !byWord.has(text)) byWord.set(text, each)
  const found = nearestNames(word, byWord.keys(), distance === undefined ? {} : { distance })
  const words = new Map<KnownName | undefined, string>()
  for (const text of found) {
    const each = byWord.get(text)
    const isTitle = each !== undefined && text !== each.id && text === each.title
    if (!words.has(each)) words.set(each, isTitle ? `${shellWord(each.id)} (${text})` : shellWord(text))
  }
  return [...words.values()]
}

const wordFor = ({ id, name }: KnownName): string => shellWord(name ?? id)
