/** Operator methods that list and end login sessions. */
import * as z from 'zod'
import type { Account } from '../../../store/engine/account.js'
import { listUsernames } from '../../../store/accounts/users.js'
import { endSessionsOf, liveSessions } from '../../api/auth/sessionList.js'
import type { LoadedAccount } from '../../call/accountCache.js'
import type { Node } from '../../index.js'
import { operatorMethod } from '../operatorMethod.js'
import { operatorRecord } from '../operatorRecord.js'
import { loadedOf, OfAccount } from './loaded.js'

const Session = z.object({
  id: z.string().describe('Id of its personal access.'),
  username: z.string().describe('User name of the account.'),
  app: z.string().describe('App that logged in.'),
  since: z.number().describe('Time of the login, in seconds since 1970.'),
  lastUsed: z.number().nullable().describe('Last use, in seconds since 1970; null for none.'),
  expires: z.number().describe('End of its validity, in seconds since 1970.'),
})

async function sessionsOf(node: Node, { account, user: { username } }: LoadedAccount): Promise<z.output<typeof Session>[]> {
  return (await liveSessions(node, account)).map(({ id, ...session }) => ({ id, username, ...session }))
}

async function endSessions(node: Node, account: Account, ids: readonly string[]): Promise<void> {
  const trail = operatorRecord(node, account, 'auth.logout')
  await account.write((t) => {
    if (endSessionsOf(t, ids).length > 0) trail?.stage(t)
  })
  if (trail?.isStaged === true) trail.succeeded()
}

const list = operatorMethod({
  id: 'sessions.list',
  summary: 'Lists the live sessions of one account, or of all.',
  input: z.strictObject({ username: OfAccount.username.optional() }),
  output: () => z.object({ sessions: z.array(Session).describe('The sessions, the latest login of an account first.') }),
  fails: ['unknown-user'],
  async run({ node }, { username }) {
    const named = username === undefined ? await listUsernames(node.store.db) : [{ username }]
    const sessions = []
    for (const one of named) sessions.push(...(await sessionsOf(node, await loadedOf(node, one))))
    return { sessions }
  },
})

const end = operatorMethod({
  id: 'sessions.end',
  summary: 'Ends sessions of an account; returns those that were live.',
  input: z.strictObject({ ...OfAccount, ids: z.array(z.string()).optional().describe('Ids of the sessions; default: all.') }),
  output: () => z.object({ sessions: z.array(Session).describe('The ended sessions.') }),
  fails: ['unknown-user'],
  async run({ node }, { username, ids }) {
    const loaded = await loadedOf(node, { username })
    const live = await sessionsOf(node, loaded)
    const ended = ids === undefined ? live : live.filter(({ id }) => ids.includes(id))
    await endSessions(node, loaded.account, ended.map(({ id }) => id))
    return { sessions: ended }
  },
})

export const sessionMethods = [list, end] as const
