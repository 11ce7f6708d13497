/** Settings of registration, e-mail verification at registration, and account deletion (docs/interface/registration.md). */
import * as z from 'zod'
import { listOf, setting, whole, yesOrNo } from '../setting.js'

const milliseconds = whole(1, undefined, ' of milliseconds')

export const registrationSettings = {
  invitationTokens: setting(listOf(() => z.string().min(1), 'a list of texts, or null for open registration'), {
    default: null,
    summary:
      'Who may register: null is everyone; with a list, only holders of an invitation. Each token of the list is valid ' +
      'for one account; coffer invitations create adds others.',
  }),
  'user-account.delete': setting(
    listOf(() => z.enum(['adminToken', 'personalToken']), 'a list of adminToken and personalToken'),
    {
      default: ['adminToken', 'personalToken'],
      summary:
        'Who may delete an account over HTTP: adminToken is the operator with the admin key, personalToken the owner after ' +
        'logging in (no app, no delegate). An empty list disables the method.',
    },
  ),
  'account.lookUpByEmail': setting(yesOrNo, {
    default: true,
    summary: 'Let anyone look up the username of an e-mail address; false: the method is not available.',
  }),
  'account.emailVerification.requireAtRegistration': setting(yesOrNo, {
    default: false,
    summary: 'Require a mailed code that verifies the e-mail address before registration; requires mail.',
  }),
  'account.emailVerification.registrationCodeMaxAgeMs': setting(milliseconds, {
    default: 600_000,
    summary: 'Milliseconds for which a mailed registration code is valid.',
  }),
  'account.emailVerification.registrationCodeMaxAttempts': setting(whole(1), {
    default: 5,
    summary: 'Number of wrong attempts after which a registration code becomes invalid.',
  }),
  'account.emailVerification.registrationCodeResendCooldownMs': setting(whole(0, undefined, ' of milliseconds'), {
    default: 60_000,
    summary: 'Minimum milliseconds between two registration codes to the same address.',
  }),
  'account.emailVerification.registrationCodeDailyLimit': setting(whole(1), {
    default: 10,
    summary: 'Maximum number of registration codes mailed to one address per day.',
  }),
  'account.emailVerification.registrationCodeFailuresPerDay': setting(whole(1), {
    default: 20,
    summary: 'Number of wrong attempts at codes of one address per day, after which no more codes are mailed to it.',
  }),
  'account.emailVerification.registrationProofMaxAgeMs': setting(milliseconds, {
    default: 1_800_000,
    summary: 'Milliseconds for which a verified address can be used to register.',
  }),
} as const
