/**
 * Settings of passwords: complexity, brute-force protection and reset (docs/interface/auth.md#failed-attempts,
 * docs/interface/account.md#password-rules).
 */
import { MAX_FORMER_PASSWORDS } from '../../../store/accounts/users.js'
import { pageAddress, setting, whole } from '../setting.js'

const oneHour = 60 * 60 * 1000

export const passwordSettings = {
  'auth.passwordComplexityMinLength': setting(whole(0, 100), {
    default: 0,
    summary: 'Minimum length of a new password, beyond the 6 characters that always apply; 0 disables the rule.',
  }),
  'auth.passwordComplexityMinCharCategories': setting(whole(0, 4), {
    default: 0,
    summary: 'Number of character categories (lower case, upper case, digits, others) a new password must contain; 0 disables the rule.',
  }),
  'auth.passwordPreventReuseHistoryLength': setting(whole(0, MAX_FORMER_PASSWORDS, ' of passwords'), {
    default: 0,
    summary: 'Number of previous passwords, including the current one, that cannot be reused; 0 disables the rule.',
  }),
  'auth.passwordAgeMinDays': setting(whole(0, undefined, ' of days'), {
    default: 0,
    summary: 'Minimum age of a password in days before it can be changed; 0 disables the rule.',
  }),
  'auth.passwordAgeMaxDays': setting(whole(0, undefined, ' of days'), {
    default: 0,
    summary: 'Maximum age of a password in days, after which login is rejected; 0 disables the rule.',
  }),
  'auth.passwordAttempts.freeFailures': setting(whole(0), {
    default: 5,
    summary: 'Number of wrong passwords per account before delays start.',
  }),
  'auth.passwordAttempts.baseSeconds': setting(whole(0, undefined, ' of seconds'), {
    default: 2,
    summary: 'First delay after wrong passwords, in seconds; doubled by each further one.',
  }),
  'auth.passwordAttempts.maxSeconds': setting(whole(0, undefined, ' of seconds'), {
    default: 300,
    summary: 'Maximum delay after wrong passwords, in seconds; 0 disables delays.',
  }),
  'auth.passwordAttempts.windowSeconds': setting(whole(1, undefined, ' of seconds'), {
    default: 900,
    summary: 'Seconds after the latest wrong password when the count is reset.',
  }),
  'auth.passwordAttempts.perIp.maxFailures': setting(whole(0), {
    default: 30,
    summary: 'Maximum wrong passwords per client address, over all accounts, in a window; 0 disables the limit.',
  }),
  'auth.passwordAttempts.perIp.windowSeconds': setting(whole(1, undefined, ' of seconds'), {
    default: 900,
    summary: 'Length of that window in seconds; it starts with the first wrong password from the address.',
  }),
  'auth.passwordResetRequestMaxAge': setting(whole(1, undefined, ' of milliseconds'), {
    default: oneHour,
    summary: 'Milliseconds for which a mailed password reset token is valid.',
  }),
  'auth.passwordResetPageURL': setting(pageAddress, {
    default: null,
    summary: 'Page on which users choose a new password, linked from reset mails; default: the page of the node.',
  }),
} as const
