/** Settings of keys, sessions and passwords (accounts supplement 1, 2, 6). */
import { secretKey, setting, text, whole } from '../config/setting.js'

const fourteenDays = 14 * 24 * 60 * 60 * 1000

export const authSettings = {
  'auth.adminAccessKey': setting(secretKey, {
    default: null,
    secret: true,
    summary: 'Key of the operator routes; 16 characters or more are wise. coffer init generates one.',
  }),
  'auth.trustedApps': setting(text('entries <app id>@<origin>, parted by commas, * allowed'), {
    default: '*@http://localhost:*, *@http://127.0.0.1:*, *@https://*.{domain}',
    summary:
      'Apps that may log in, as <app id>@<origin>. ' +
      '{domain} stands for dns.domain; entries with it fall away without one.',
  }),
  'auth.sessionMaxAge': setting(whole(1, undefined, ' of milliseconds'), {
    default: fourteenDays,
    summary: 'A login session ends this many milliseconds after its last use.',
  }),
  'auth.passwordComplexityMinLength': setting(whole(0, 100), {
    default: 0,
    summary: 'Least number of characters of a new password, beyond the 6 that always apply; 0 is off.',
  }),
  'auth.passwordComplexityMinCharCategories': setting(whole(0, 4), {
    default: 0,
    summary: 'How many of lower case, upper case, digits and others a new password must mix; 0 is off.',
  }),
  'auth.filesReadTokenSecret': setting(secretKey, {
    default: null,
    secret: true,
    summary: 'Key that signs the read tokens of attached files. coffer init generates one.',
  }),
} as const
