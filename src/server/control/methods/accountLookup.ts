/** Operator methods that find accounts without loading them. `users.names` also works on a closed store (server/launch/readOnlyNode.ts). */
import * as z from 'zod'
import { accessNamed, hasAccess } from '../../../store/accesses/accesses.js'
import { findWebhookWithoutUrl, listWebhooks } from '../../../store/accesses/webhooks.js'
import { listUsernames, readUser } from '../../../store/accounts/users.js'
import { createYielder } from '../../../store/engine/yield.js'
import { isEventIdTaken } from '../../../store/events/events.js'
import { accessBase } from '../../../store/model/auditStreams.js'
import { Failure } from '../../../store/model/failure.js'
import type { ReadingNode } from '../../launch/readOnlyNode.js'
import { operatorMethod, type OperatorCall } from '../operatorMethod.js'

/** Maximum time in milliseconds for which other calls wait for a search. */
const SLICE_MS = 8
/** Maximum number of accounts that one search visits; each costs one or two look-ups of a key. */
const MAX_ACCOUNTS = 10_000

const AccountName = z.object({
  username: z.string().describe('User name; the id of an account without one.'),
  id: z.string().describe('Id of the account.'),
  formerUsernames: z.array(z.string()).describe('Former names, which still lead to the account.'),
})

export const listNames = operatorMethod({
  id: 'users.names',
  summary: 'Lists the names of the accounts of the node.',
  input: z.strictObject({}),
  output: () => z.object({ users: z.array(AccountName).describe('The accounts, by user name.') }),
  fails: [],
  async run({ node }: OperatorCall<Pick<ReadingNode, 'store'>>) {
    const { db } = node.store
    const users = []
    for (const { username, account } of await listUsernames(db)) {
      const user = readUser(db, account)
      if (user !== undefined) users.push({ username, id: user.id, formerUsernames: user.formerUsernames ?? [] })
    }
    return { users }
  },
})

type IsHeld = (store: ReadingNode['store'], prefix: string, word: string) => boolean | Promise<boolean>

const isAccessOf: IsHeld = ({ db }, prefix, word) =>
  hasAccess(db, prefix, accessBase(word)) || (['shared', 'app', 'personal'] as const).some((type) => accessNamed(db, prefix, { type, name: word }) !== undefined)

const isEventOf: IsHeld = ({ db }, prefix, id) => isEventIdTaken(db, prefix, id)

/** Checks whether an account has an item; only webhooks by URL read more than a few keys. */
const isHeld: Readonly<Record<'event' | 'access' | 'webhook' | 'consent', IsHeld>> = {
  event: isEventOf,
  access: isAccessOf,
  async webhook({ db, seal }, prefix, word) {
    if (findWebhookWithoutUrl(db, prefix, word) !== undefined) return true
    return URL.canParse(word) && (await listWebhooks({ db, prefix }, seal)).some(({ url }) => url === word)
  },
  consent: (store, prefix, id) => isEventOf(store, prefix, id) || hasAccess(store.db, prefix, accessBase(id)),
}

const findHolders = operatorMethod({
  id: 'users.holding',
  summary: 'Finds the accounts that have an event, an access, a webhook or a consent.',
  input: z.strictObject({
    kind: z.enum(['event', 'access', 'webhook', 'consent']).describe('Kind of item.'),
    id: z.string().describe('Its id; also the name of an access, or the URL of a webhook.'),
  }),
  output: () => z.object({ usernames: z.array(z.string()).describe('User names of the accounts.') }),
  fails: ['too-many-results'],
  async run({ node, signal }, { kind, id }) {
    const { store } = node
    const names = await listUsernames(store.db)
    if (names.length > MAX_ACCOUNTS) throw new Failure('too-many-results', `The node has more than ${MAX_ACCOUNTS} accounts; name one.`)
    const pause = createYielder(SLICE_MS, () => signal?.throwIfAborted())
    const usernames: string[] = []
    for (const { username, account } of names) {
      if (await isHeld[kind](store, account, id)) usernames.push(username)
      await pause()
    }
    return { usernames }
  },
})

export const lookupMethods = [listNames, findHolders] as const
