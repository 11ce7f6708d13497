import * as z from 'zod'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method } from '../../call/method.js'
import { liveSessions } from './sessionList.js'

/** Route that lists the sessions of the owner. See docs/interface/auth.md#sessions. */
export const sessions = method({
  id: 'auth.sessions',
  summary: 'Lists the sessions of the owner: apps that are logged in.',
  http: { verb: 'GET', path: '/auth/sessions' },
  caller: genuinePersonalOnly,
  input: z.strictObject({ auth: z.string().optional() }),
  output: () => z.object({
    sessions: z.array(
      z.object({
        id: z.string().describe('Id of its personal access.'),
        app: z.string().describe('App that logged in.'),
        since: z.number().describe('Time of the login, in seconds since 1970.'),
        lastUsed: z.number().nullable().describe('Last use, in seconds since 1970; null for none.'),
        expires: z.number().describe('End of its validity without further use, in seconds since 1970.'),
        current: z.boolean().describe('true for the session of the call.'),
      }),
    ).describe('The sessions, the latest login first.'),
  }),
  fails: ['invalid-parameters-format', 'forbidden', 'delegation-genuine-login-required'],
  async run({ node, account, caller }) {
    const found = await liveSessions(node, account)
    return { sessions: found.map((session) => ({ ...session, current: session.id === caller.access.id })) }
  },
})
