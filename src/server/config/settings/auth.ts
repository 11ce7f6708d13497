/** Settings of keys and sessions (accounts supplement 1, 2). */
import { secretKey, setting, text, whole } from '../setting.js'

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
  'auth.filesReadTokenSecret': setting(secretKey, {
    default: null,
    secret: true,
    summary: 'Key that signs the read tokens of attached files. coffer init generates one.',
  }),
} as const
