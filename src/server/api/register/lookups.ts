/** Registration look-ups of clients, before and after registering (docs/interface/registration.md#look-ups). */
import * as z from 'zod'
import { isEmail } from '../../../store/model/accountFieldValue.js'
import { AnsweredElsewhere, coreOfHolder } from '../../platform/cores/wrongCore.js'
import { Failure, invalidFormat } from '../../../store/model/failure.js'
import { hostDomain } from '../../config/apiEndpoint.js'
import { anybody } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import type { Context } from '../../call/context.js'
import { isUsername } from './input.js'
import { isReserved } from '../shared/reservations.js'
import { isReservedUsername } from './reserved.js'

export const checkUsername = platformMethod({
  id: 'reg.checkUsername',
  summary: 'Checks whether a user name is taken or reserved.',
  http: { verb: 'GET', path: '/reg/:username/check_username' },
  caller: anybody,
  input: z.object({ username: z.string().describe('User name to look up.') }),
  output: () => z.object({ reserved: z.boolean().describe('true if it is taken or reserved.') }),
  fails: ['invalid-parameters-format'],
  async run({ node }, { username }) {
    if (!isUsername(username)) {
      throw invalidFormat([
        { code: 'username-invalid', message: 'Username is invalid', path: '#/username', param: 'username' },
      ])
    }
    const name = { field: 'username', value: username }
    if (isReservedUsername(node.config, username, node.registry.cores) || (await isReserved(node, name))) return { reserved: true }
    return { reserved: (await node.registry.lookUp(name)) !== undefined }
  },
})

export const checkEmail = platformMethod({
  id: 'reg.checkEmail',
  summary: 'Checks whether an e-mail address is in use.',
  http: { verb: 'GET', path: '/reg/:email/check_email' },
  caller: anybody,
  input: z.object({ email: z.string().describe('E-mail address to look up.') }),
  output: () => z.object({
    exists: z.boolean().describe('true if an account has the address.'),
    reserved: z.boolean().describe('Same as exists.'),
  }),
  fails: ['INVALID_EMAIL'],
  async run({ node }, { email }) {
    if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
    const name = { field: 'email', value: email }
    const exists = (await node.registry.lookUp(name)) !== undefined
    return { exists, reserved: exists || (await isReserved(node, name)) }
  },
})

/**
 * Returns the user name of an e-mail address.
 * @throws AnsweredElsewhere when only another core knows it; Failure `UNKNOWN_EMAIL`; `unavailable-method` when the operator disabled the look-up
 */
async function usernameOfEmail(node: Context, email: string, route: string): Promise<string> {
  if (!node.config.get('account.lookUpByEmail')) throw new Failure('unavailable-method')
  const holder = await node.registry.lookUp({ field: 'email', value: email })
  if (holder === undefined) throw new Failure('UNKNOWN_EMAIL')
  if (holder.username !== undefined) return holder.username
  // Only the home core knows the names of its accounts.
  const { url } = coreOfHolder(node, holder)
  throw new AnsweredElsewhere(url, `${url}reg/${encodeURIComponent(email)}/${route}`)
}

export const usernameOf = platformMethod({
  id: 'reg.usernameOf',
  summary: 'Finds the user name of an e-mail address.',
  http: { verb: 'GET', path: '/reg/:email/username' },
  caller: anybody,
  input: z.object({ email: z.string().describe('E-mail address.') }),
  output: () => z.object({ username: z.string().describe('User name of the account.') }),
  fails: ['UNKNOWN_EMAIL', 'unavailable-method'],
  run: async ({ node }, { email }) => ({ username: await usernameOfEmail(node, email, 'username') }),
})

export const uidOf = platformMethod({
  id: 'reg.uidOf',
  summary: 'Deprecated: finds the user name of an e-mail address.',
  http: { verb: 'GET', path: '/reg/:email/uid' },
  caller: anybody,
  input: z.object({ email: z.string().describe('E-mail address.') }),
  output: () => z.object({ uid: z.string().describe('User name of the account.') }),
  fails: ['UNKNOWN_EMAIL', 'unavailable-method'],
  run: async ({ node }, { email }) => ({ uid: await usernameOfEmail(node, email, 'uid') }),
})

const Server = z.object({
  server: z.string().describe('URL of the core.'),
  alias: z.string().describe('Short URL of the account.'),
})

/** Returns the core of an account, and the short form of the account's URL. */
async function serverOfUser(node: Context, username: string): Promise<z.output<typeof Server>> {
  const name = username.toLowerCase()
  const holder = await node.registry.lookUp({ field: 'username', value: name })
  if (holder === undefined) throw new Failure('unknown-user')
  const domain = hostDomain(node)
  return { server: coreOfHolder(node, holder).url, alias: domain === undefined ? name : `${name}.${domain}` }
}

export const serverOf = platformMethod({
  id: 'reg.serverOf',
  summary: 'Finds the core that serves a user name.',
  http: { verb: 'POST', path: '/reg/:username/server' },
  caller: anybody,
  input: z.object({ username: z.string().describe('User name.') }),
  output: () => Server,
  fails: ['unknown-user'],
  run: ({ node }, { username }) => serverOfUser(node, username),
})

export const toServer = platformMethod({
  id: 'reg.toServer',
  summary: 'Redirects to the core that serves a user name.',
  http: { verb: 'GET', path: '/reg/:username/server', redirect: 'server' },
  caller: anybody,
  input: z.object({ username: z.string().describe('User name.') }),
  output: () => Server,
  fails: ['unknown-user'],
  async run({ node }, { username }) {
    const { server, alias } = await serverOfUser(node, username)
    return { server: `${server}?username=${encodeURIComponent(username.toLowerCase())}`, alias }
  },
})
