import * as z from 'zod'
import { readEnrolment } from '../../../store/accounts/credentials.js'
import { mfaMethods, type MfaMethod } from '../../../store/model/mfa.js'
import { Failure } from '../../../store/model/failure.js'
import { Secret } from '../../../store/model/secret.js'
import { genuinePersonalOnly } from '../../call/callers.js'
import { method, type Call, type Result } from '../../call/method.js'
import { offeredMethods } from './offer.js'
import { mfaIsOff, wrongContent } from './refusals.js'
import { newMfaToken, type PendingEnrolment, type MfaDeps } from './sessions.js'
import { readSmsContent, sendCode } from './sms.js'
import { requireStepUp } from './stepUp.js'
import { newTotpSecret, otpauthUri } from './totp.js'

const output = () => z.object({
  mfaToken: z.string().describe('Token for mfa.confirm.'),
  method: z.enum(mfaMethods).optional().describe('Kind of the second factor.'),
  otpauthUri: z.string().optional().describe('URI for the QR code of an authenticator app; totp only.'),
  secret: z.string().optional().describe('Secret to type into an authenticator app; totp only.'),
})

/** The method mfa.activate (docs/interface/mfa.md#setup). */
export const activate = method({
  id: 'mfa.activate',
  summary: 'Starts the setup of a second factor; mfa.confirm completes it.',
  http: { verb: 'POST', path: '/mfa/activate', status: 302 },
  caller: genuinePersonalOnly,
  input: z.looseObject({
    method: z.unknown().optional().meta({ type: 'string' }).describe('totp or sms; default: the first one that the node offers.'),
    password: z.string().optional().describe('Password; this or a code is required to replace a second factor.'),
    code: z.string().optional().describe('Code of the current second factor.'),
  }),
  output,
  fails: [
    'invalid-parameters-format',
    'invalid-operation',
    'forbidden',
    'delegation-genuine-login-required',
    'invalid-step-up',
    'too-many-attempts',
    'too-many-requests',
    'unavailable-method',
  ],
  async run(call: Call<MfaDeps>, { method: input, password, code, ...params }) {
    const { node, account } = call
    const chosen = methodOf(call, input)
    if (chosen === 'totp') assertContent(params)
    const content = chosen === 'sms' ? readSmsContent(node, params) : {}
    const present = readEnrolment(node.store.db, account.prefix)
    if (present !== undefined) await requireStepUp(call, present, { password, code })
    const { user, origin, caller } = call
    const by = origin.transport === 'control' ? {} : { access: caller.access.id }
    const draft = { account: account.prefix, passwordHash: user.passwordHash, replaces: present?.id, content, ...by }
    return chosen === 'totp' ? openForApp(call, draft) : openForPhone(call, draft)
  },
})

type Draft = Pick<PendingEnrolment, 'account' | 'passwordHash' | 'replaces' | 'content' | 'access'>

function openForApp({ node, user }: Call<MfaDeps>, draft: Draft): Result {
  const { config } = node
  const rule = {
    secret: newTotpSecret(),
    digits: config.get('services.mfa.methods.totp.digits'),
    periodSeconds: config.get('services.mfa.methods.totp.periodSeconds'),
  }
  const token = newMfaToken()
  const totp = { ...rule, secret: new Secret(rule.secret) }
  node.mfaSessions.open({ kind: 'enroll', method: 'totp', token, ...draft, totp })
  return { mfaToken: token, method: 'totp', otpauthUri: otpauthUri(node, user.username, rule), secret: rule.secret }
}

async function openForPhone({ node, account }: Call<MfaDeps>, draft: Draft): Promise<Result> {
  node.mfaSessions.assertCapacity({ kind: 'enroll', account: account.prefix })
  // On failure, a pending enrolment stays unchanged.
  const sent = await sendCode(node, account, draft.content)
  const token = newMfaToken()
  node.mfaSessions.open({ kind: 'enroll', method: 'sms', token, ...draft, sent, requestedAt: sent.at })
  return { mfaToken: token }
}

function methodOf({ node }: Call, input: unknown): MfaMethod {
  const offered = offeredMethods(node.config)
  const [first] = offered
  if (first === undefined) throw mfaIsOff()
  if (input === undefined || input === null) return first
  const found = offered.find((each) => each === input)
  if (found !== undefined) return found
  throw new Failure('invalid-parameters-format', `The method must be one of: ${offered.join(', ')}.`, {
    id: 'invalid-mfa-method',
  })
}

function assertContent(params: Readonly<Record<string, unknown>>): void {
  const [key] = Object.keys(params)
  if (key !== undefined) throw wrongContent(`Unexpected parameter "${key.slice(0, 64)}" for an authenticator app.`)
}
