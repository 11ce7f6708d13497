import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import { mfaMethods } from '../../../store/model/mfa.js'
import { checkInput, parseInput } from '../../../store/model/validation.js'
import { namesOf } from '../../../store/accounts/users.js'
import type { CallRecorder } from '../../audit/auditEntry.js'
import { documented } from '../../base/documented.js'
import { assertPasswordNotExpired } from '../../auth/password.js'
import { checkPassword } from '../../auth/passwordCheck.js'
import { assertTrustedApp } from '../../auth/trustedApp.js'
import { passwordHolder } from '../../call/callers.js'
import { openMethod, type OpenCall, type Result } from '../../call/method.js'
import { secondStep } from '../mfa/login.js'
import { loginAnswer } from './answer.js'
import type { MfaDeps } from '../mfa/sessions.js'

const Credentials = z.object({
  username: z.unknown(),
  password: z.unknown(),
  appId: z.unknown(),
})

const Texts = z.object({
  username: z.string().describe('User name or alias of the account.'),
  password: z.string().describe('The password.'),
  appId: z.string().describe('Id of the app that signs in; the request must come from an origin trusted for it.'),
})

/** Route that logs in. Checks run in the order of docs/interface/auth.md#login. */
export const login = openMethod({
  id: 'auth.login',
  summary: 'Signs in with a password; from trusted origins.',
  http: { verb: 'POST', path: '/auth/login', status: (result) => ('mfaToken' in result ? 302 : 200) },
  caller: passwordHolder,
  input: documented(Texts),
  output: () => z.union([
    z.object({
      token: z.string().describe('Personal token of the new session.'),
      apiEndpoint: z.string().describe('Address of the account with the token.'),
      preferredLanguage: z.string().describe('Language of the account, such as en.'),
      passwordExpires: z.number().optional().describe('Time at which the password expires, in seconds since 1970.'),
      passwordCanBeChanged: z.number().optional().describe('Time from which the password can be changed again, in seconds since 1970.'),
    }),
    z.object({
      mfaToken: z.string().describe('Token for mfa.challenge and mfa.verify; the login is complete after the second factor.'),
      mfaMethod: z.enum(mfaMethods).describe('Kind of the second factor.'),
    }),
  ]),
  notInBatch: true,
  auditedAs: 'valid-password',
  fails: [
    'invalid-operation',
    'invalid-parameters-format',
    'invalid-credentials',
    'mfa-method-inactive',
    'too-many-attempts',
    'too-many-requests',
    'unknown-resource',
  ],
  async run(call: OpenCall<MfaDeps>, body) {
    const { node, account, user } = call
    const { appId } = await identify(call, body)
    const complete = (trail: CallRecorder | undefined): Promise<Result> => loginAnswer(node, account, user, appId, trail)
    return (await secondStep(call, complete)) ?? complete(call.trail)
  },
})

/** Checks everything a login requires to be the account's owner. */
async function identify(call: OpenCall, body: unknown): Promise<{ appId: string }> {
  const { node, account, user, origin, alias } = call
  const { username, password, appId } = credentialsOf(body)
  assertTrustedApp(call, appId)
  const isNamed = namesOf(user).usernames.includes(username.toLowerCase())
  // An alias must not reveal its owner: another name is reported like a wrong password.
  if (!isNamed && alias === undefined) throw new Failure('invalid-operation', 'The username does not match the one in the URL.')
  if (!(await checkPassword(node, account, user, password, origin, { alias, isNamed }))) {
    node.log.warn('login refused: wrong password', { user: user.username, ip: origin.ip })
    throw new Failure('invalid-credentials')
  }
  assertPasswordNotExpired(node.config, user, node.clock.now())
  return { appId }
}

function credentialsOf(body: unknown): z.output<typeof Texts> {
  const credentials = checkInput(Credentials, body)
  const missing =
    !credentials.success ||
    [credentials.data.username, credentials.data.password, credentials.data.appId].some((value) => value === undefined || value === null)
  if (missing) throw new Failure('invalid-operation', 'username, password and appId are required.')
  return parseInput(Texts, body)
}
