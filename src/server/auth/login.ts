import { z } from 'zod'
import { findEvent } from '../../store/events.js'
import { Failure } from '../../store/model/failure.js'
import { parseInput } from '../../store/model/validation.js'
import { namesOf } from '../../store/users.js'
import { apiEndpoint } from '../apiEndpoint.js'
import { isPassword } from '../guard/password.js'
import { refuseUntrusted } from '../guard/trustedApp.js'
import { openMethod } from '../method.js'
import { sessionFor } from './session.js'

const Credentials = z.object({
  username: z.unknown(),
  password: z.unknown(),
  appId: z.unknown(),
})

const Texts = z.object({ username: z.string(), password: z.string(), appId: z.string() })

/** Specification, "Authentication and MFA methods"; accounts supplement 4.1, in the order of checks given there. */
export const login = openMethod({
  id: 'auth.login',
  summary: 'Opens a session with a password; for trusted apps.',
  http: { verb: 'POST', path: '/auth/login' },
  input: z.unknown(),
  output: z.object({ token: z.string(), apiEndpoint: z.string(), preferredLanguage: z.string() }),
  alone: true,
  auditedAs: 'valid-password',
  fails: ['invalid-operation', 'invalid-parameters-format', 'invalid-credentials', 'unknown-resource'],
  async run(call, body) {
    const { node, account, user } = call
    const { username, password, appId } = credentialsOf(body)
    refuseUntrusted(call, appId)
    if (!namesOf(user).usernames.includes(username.toLowerCase())) {
      throw new Failure('invalid-operation', 'The username does not match that of the address.')
    }
    if (!(await isPassword(user.passwordHash, password))) {
      node.log.warn('login refused: wrong password', { user: user.username, ip: call.origin.ip })
      throw new Failure('invalid-credentials')
    }
    const token = (await sessionFor(node, account, appId)).reveal()
    const language = findEvent(node.store.db, account.prefix, ':_system:language')?.content
    return {
      token,
      apiEndpoint: apiEndpoint(node, user.username, token),
      preferredLanguage: typeof language === 'string' ? language : 'en',
    }
  },
})

function credentialsOf(body: unknown): z.output<typeof Texts> {
  const given = Credentials.safeParse(body)
  const missing =
    !given.success ||
    [given.data.username, given.data.password, given.data.appId].some((value) => value === undefined || value === null)
  if (missing) throw new Failure('invalid-operation', 'A login needs username, password and appId.')
  return parseInput(Texts, body)
}
