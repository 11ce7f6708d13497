/** Operator methods for the second factor of an account. */
import * as z from 'zod'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { mfaMethods as methodNames, publicEnrolment } from '../../../store/model/mfa.js'
import type { OutputOf } from '../../call/method.js'
import { callOpen } from '../../dispatch/call.js'
import { confirm } from '../../api/mfa/confirm.js'
import { offeredMethods } from '../../api/mfa/offer.js'
import { operatorMethod } from '../operatorMethod.js'
import { terminalOrigin } from '../../dispatch/terminalCaller.js'
import { UserView } from './accountReading.js'
import { loadedOf, OfAccount } from './loaded.js'

const Factor = z.object({
  method: z.enum(methodNames).describe('totp (authenticator app) or sms.'),
  content: z.record(z.string(), z.string()).describe('Parameters of text messages; empty for an app.'),
  totp: z.object({
    confirmedAt: z.number().describe('Time of the confirmation, in milliseconds since 1970.'),
    algorithm: z.literal('sha1').describe('Always sha1.'),
    digits: z.number().describe('Digits of a code.'),
    periodSeconds: z.number().describe('Validity of a code in seconds.'),
  }).optional().describe('The authenticator app.'),
})

const show = operatorMethod({
  id: 'users.mfa',
  summary: 'Returns the second factor of an account.',
  input: z.strictObject(OfAccount),
  output: () => z.object({
    username: UserView.shape.username,
    mfa: Factor.nullable().describe('The second factor, without secrets; null for none.'),
    methods: z.array(z.enum(methodNames)).describe('Methods that the node offers, the default first.'),
  }),
  fails: ['unknown-user'],
  async run({ node }, input) {
    const { account, user } = await loadedOf(node, input)
    const enrolment = readEnrolment(node.store.db, account.prefix)
    const mfa = enrolment === undefined ? null : publicEnrolment(enrolment)
    return { username: user.username, mfa, methods: offeredMethods(node.config) }
  },
})

const confirmFactor = operatorMethod({
  id: 'users.confirmMfa',
  summary: 'Confirms a new second factor with its first code, like mfa.confirm.',
  input: z.strictObject({
    ...OfAccount,
    mfaToken: z.string().describe('Token of mfa.activate. A parameter, since terminal calls have no Authorization header.'),
    code: z.string().describe('The code.'),
  }),
  output: confirm.output,
  fails: ['unknown-user', ...confirm.fails],
  async run({ node }, { username, mfaToken, code }) {
    const { account, user } = await loadedOf(node, { username })
    const origin = terminalOrigin(node)
    const result = await callOpen({ node, origin, account, user, authorization: mfaToken }, confirm, { code })
    return result as OutputOf<typeof confirm>
  },
})

export const mfaMethods = [show, confirmFactor] as const
