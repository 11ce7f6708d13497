/** Settings of keys and sessions (docs/interface/auth.md#trusted-apps, docs/interface/auth.md#sessions). */
import { secretKey, setting, text, whole } from '../setting.js'

const fourteenDays = 14 * 24 * 60 * 60 * 1000

export const authSettings = {
  'auth.adminAccessKey': setting(secretKey, {
    default: null,
    secret: true,
    summary: 'Key of the operator routes; use at least 16 characters. coffer init generates one.',
  }),
  'auth.trustedApps': setting(text('entries <app id>@<origin>, comma-separated, * allowed'), {
    default: '*@http://localhost:*, *@http://127.0.0.1:*, *@https://*.{domain}',
    summary:
      'Apps that may log in, as <app id>@<origin>. ' +
      '{domain} is replaced by dns.domain; entries with it are ignored if dns.domain is not set.',
  }),
  'auth.sessionMaxAge': setting(whole(1, undefined, ' of milliseconds'), {
    default: fourteenDays,
    summary: 'Milliseconds after its last use when a login session expires.',
  }),
  'auth.filesReadTokenSecret': setting(secretKey, {
    default: null,
    secret: true,
    summary: 'Key that signs the read tokens of attachments. coffer init generates one.',
  }),
} as const
