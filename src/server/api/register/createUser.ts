import * as z from 'zod'
import { Failure } from '../../../store/model/failure.js'
import type { Secret } from '../../../store/model/secret.js'
import type { User } from '../../../store/accounts/users.js'
import type { CoreCallDeps } from '../../platform/cores/coreCalls.js'
import type { CoreDirectory, Name } from '../../platform/registry/port.js'
import { apiEndpoint } from '../../config/apiEndpoint.js'
import type { Config } from '../../config/config.js'
import { documented } from '../../base/documented.js'
import { hashPassword, assertPasswordStrength } from '../../auth/password.js'
import { anybody } from '../../call/callers.js'
import { platformMethod, type PlatformCall } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { proveEmail } from './emailProof.js'
import { readRegistration, RegistrationBody, type Registration } from './input.js'
import { invitationFor, usingInvitation } from './invitations.js'
import { claiming } from '../shared/names.js'
import { fillAccount } from './newAccount.js'
import { coreForNewAccount, registerAt } from './placement.js'
import { isReservedUsername } from './reserved.js'
import type { MailDeps } from '../../mail/mailer.js'

/** The method auth.register (docs/interface/registration.md#parameters). */
export const createUser = platformMethod({
  id: 'auth.register',
  summary: 'Creates an account and signs in.',
  http: { verb: 'POST', path: '/users', aliases: ['/reg/users', '/reg/user'] },
  caller: anybody,
  input: documented(RegistrationBody),
  output: () => z.object({
    username: z.string().describe('User name.'),
    apiEndpoint: z.string().describe('API endpoint of the account, with the token.'),
    token: z.string().describe('Personal token of the first session.'),
  }),
  notInBatch: true,
  auditedAs: 'public',
  fails: ['invalid-parameters-format', 'forbidden', 'invalid-operation', 'item-already-exists', 'cross-core-registration-failed', 'platform-unavailable'],
  async run(call: PlatformCall<CoreCallDeps & MailDeps>, body) {
    const { node, fromCore } = call
    const input = readRegistration(body, node.systemStreams)
    const proof = await checkRegistration(node, input, 'anybody')
    const elsewhere = fromCore === undefined ? await coreForNewAccount(node, input) : undefined
    if (elsewhere !== undefined) return registerAt(call, elsewhere, body, { path: '/users' })
    const { token } = await createRegistered(node, input, 'anybody', proof)
    return {
      username: input.username,
      apiEndpoint: apiEndpoint(node, input.username, token.reveal()),
      token: token.reveal(),
    }
  },
})

interface Registered {
  user: User
  /** Token of the session opened for the app. */
  token: Secret<string>
  /** Resolves when the welcome mail was sent or failed; optional to await. */
  welcomed: Promise<void>
}

/**
 * Creates an account, and sends the welcome mail once it is on disk. Exactly one of several simultaneous claims of a name
 * succeeds; passwords are hashed only for claims that hold their names. The operator needs neither an invitation nor a verified
 * address.
 * @throws Failure in the order of docs/interface/registration.md#order-of-checks
 */
export async function register(node: Context & MailDeps, input: Registration, by: 'anybody' | 'operator' = 'anybody'): Promise<Registered> {
  return createRegistered(node, input, by, await checkRegistration(node, input, by))
}

/** Checks what does not depend on the core of the new account; returns the proof of the address, if one is required. */
function checkRegistration(node: Context, input: Registration, by: 'anybody' | 'operator'): ReturnType<typeof proveEmail> {
  assertPasswordStrength(node.config, input.password)
  return by === 'operator' ? Promise.resolve(undefined) : proveEmail(node, input)
}

async function createRegistered(
  node: Context & MailDeps,
  input: Registration,
  by: 'anybody' | 'operator',
  proof: Awaited<ReturnType<typeof proveEmail>>,
): Promise<Registered> {
  const invitation = await invitationFor(node, input.invitationToken, by)
  assertNotReserved(node.config, input.username, node.registry.cores)
  const id = node.newId()
  const registered = await claiming(node, { account: id, by: 'creation', take: uniqueNames(node, input) }, (enter) =>
    usingInvitation(node, invitation, input.username, async () => {
      const passwordHash = await hashPassword(input.password)
      // Another registration may have used the proof since the check, and its account may already be deleted.
      await proof?.assertStillValid()
      const about = { id, asked: input, passwordHash, invitation, isProved: proof !== undefined }
      return node.store.createAccount((t, account) => {
        enter(t)
        return fillAccount(node, t, account, about)
      })
    }),
  )
  await proof?.consume()
  return { ...registered, welcomed: welcome(node, registered.user, input) }
}

/** Refuses a reserved user name. `cores` are those of the platform, of a running node. @throws Failure `item-already-exists` */
export function assertNotReserved(config: Config, username: string, cores?: CoreDirectory): void {
  if (isReservedUsername(config, username, cores)) throw new Failure('item-already-exists', 'This username is reserved.', { username })
}

/** Returns the user name and the values of unique fields of a registration. */
export function uniqueNames(node: Context, { username, fields }: Pick<Registration, 'username' | 'fields'>): Name[] {
  const unique = Object.entries(fields).filter(([field]) => node.systemStreams.byName(field)?.isUnique === true)
  return [{ field: 'username', value: username }, ...unique.map(([field, value]) => ({ field, value: String(value) }))]
}

/** Sends the welcome mail. Failures are only logged, since the account exists. */
async function welcome(node: Context & MailDeps, user: User, { username, language, fields: { email } }: Registration): Promise<void> {
  if (typeof email !== 'string') return
  try {
    await node.mail.send({ kind: 'welcome', to: email, language, substitutions: { USERNAME: username, EMAIL: email } })
  } catch (error) {
    node.log.warn('failed to send a welcome mail', { user: user.id, error: String(error) })
  }
}
