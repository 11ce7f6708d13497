/** Settings of passwords: what they must be, how guessing is slowed, how they are reset (accounts supplement 4.4, 6, 7). */
import { MAX_FORMER_PASSWORDS } from '../../../store/accounts/users.js'
import { pageAddress, setting, whole } from '../setting.js'

const oneHour = 60 * 60 * 1000

export const passwordSettings = {
  'auth.passwordComplexityMinLength': setting(whole(0, 100), {
    default: 0,
    summary: 'Least number of characters of a new password, beyond the 6 that always apply; 0 is off.',
  }),
  'auth.passwordComplexityMinCharCategories': setting(whole(0, 4), {
    default: 0,
    summary: 'How many of lower case, upper case, digits and others a new password must mix; 0 is off.',
  }),
  'auth.passwordPreventReuseHistoryLength': setting(whole(0, MAX_FORMER_PASSWORDS, ' of passwords'), {
    default: 0,
    summary: 'A new password differs from this many before it, the present one included; 0 is off.',
  }),
  'auth.passwordAgeMinDays': setting(whole(0, undefined, ' of days'), {
    default: 0,
    summary: 'A password cannot be changed before this many days; 0 is off.',
  }),
  'auth.passwordAgeMaxDays': setting(whole(0, undefined, ' of days'), {
    default: 0,
    summary: 'Nobody logs in with a password of this many days; 0 is off.',
  }),
  'auth.passwordAttempts.freeFailures': setting(whole(0), {
    default: 5,
    summary: 'So many wrong passwords of an account are taken without delay.',
  }),
  'auth.passwordAttempts.baseSeconds': setting(whole(0, undefined, ' of seconds'), {
    default: 2,
    summary: 'How long the next wrong password delays another try; each further one doubles it.',
  }),
  'auth.passwordAttempts.maxSeconds': setting(whole(0, undefined, ' of seconds'), {
    default: 300,
    summary: 'Longest delay after wrong passwords; 0 switches delays off.',
  }),
  'auth.passwordAttempts.windowSeconds': setting(whole(1, undefined, ' of seconds'), {
    default: 900,
    summary: 'Wrong passwords are forgotten this long after the latest.',
  }),
  'auth.passwordAttempts.perIp.maxFailures': setting(whole(0), {
    default: 30,
    summary: 'Most wrong passwords from one client address, over all accounts, in a window; 0 is off.',
  }),
  'auth.passwordAttempts.perIp.windowSeconds': setting(whole(1, undefined, ' of seconds'), {
    default: 900,
    summary: 'Length of that window, which begins with the first wrong password from the address.',
  }),
  'auth.passwordResetRequestMaxAge': setting(whole(1, undefined, ' of milliseconds'), {
    default: oneHour,
    summary: 'A mailed token for a new password is good for this many milliseconds.',
  }),
  'auth.passwordResetPageURL': setting(pageAddress, {
    default: null,
    summary: 'Page where users choose a new password; mails lead there. Without it, to the page of the node.',
  }),
} as const
