/** Settings of registration, of proving e-mail addresses at it, and of deletion (accounts supplement 9.4, 11, 17). */
import * as z from 'zod'
import { listOf, setting, whole, yesOrNo } from '../setting.js'

const milliseconds = whole(1, undefined, ' of milliseconds')

export const registrationSettings = {
  invitationTokens: setting(listOf(z.string().min(1), 'a list of texts, or null for open registration'), {
    default: null,
    summary:
      'Who may register: null is everybody; with a list, only who holds an invitation. Each token of the list is one, ' +
      'for one account; coffer invitations create makes more.',
  }),
  'user-account.delete': setting(
    listOf(z.enum(['adminToken', 'personalToken']), 'a list of adminToken and personalToken'),
    {
      default: ['adminToken', 'personalToken'],
      summary:
        'Who may delete an account over HTTP: adminToken is the operator with the admin key, personalToken the owner after ' +
        'logging in (no app, no delegate). An empty list disables the method.',
    },
  ),
  'account.lookUpByEmail': setting(yesOrNo, {
    default: true,
    summary: 'Anybody may ask for the username of an e-mail address; false: that method is not available.',
  }),
  'account.emailVerification.requireAtRegistration': setting(yesOrNo, {
    default: false,
    summary: 'Who registers proves the e-mail address first, by a mailed code; needs mail.',
  }),
  'account.emailVerification.registrationCodeMaxAgeMs': setting(milliseconds, {
    default: 600_000,
    summary: 'A mailed registration code is good for this many milliseconds.',
  }),
  'account.emailVerification.registrationCodeMaxAttempts': setting(whole(1), {
    default: 5,
    summary: 'Wrong guesses after which a registration code is useless.',
  }),
  'account.emailVerification.registrationCodeResendCooldownMs': setting(whole(0, undefined, ' of milliseconds'), {
    default: 60_000,
    summary: 'Milliseconds between two registration codes to one address.',
  }),
  'account.emailVerification.registrationCodeDailyLimit': setting(whole(1), {
    default: 10,
    summary: 'Most registration codes mailed to one address in a day.',
  }),
  'account.emailVerification.registrationCodeFailuresPerDay': setting(whole(1), {
    default: 20,
    summary: 'Wrong guesses at codes of one address in a day, after which no more codes are mailed to it.',
  }),
  'account.emailVerification.registrationProofMaxAgeMs': setting(milliseconds, {
    default: 1_800_000,
    summary: 'A proved address is good for registration for this many milliseconds.',
  }),
} as const
