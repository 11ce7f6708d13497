/** The kinds of mail, with their settings and the values that their templates use. */
import type { Config } from '../config/config.js'
import type { SettingKey } from '../config/settings/settings.js'
import type { MailKind } from './mailer.js'

interface MailKindDetails {
  /** Name of the template in the built-in set. */
  type: string
  template: SettingKey & `services.email.${string}Template`
  /** Setting that switches the kind off. Registration codes have none, since registration needs them. */
  enabled?: SettingKey & `services.email.enabled.${string}`
  /** Sample values for previews, tests and test mails. */
  sample: Readonly<Record<string, string>>
}

const code = 'Rk3v9yQm2X'

export const mailKinds: Readonly<Record<MailKind, MailKindDetails>> = {
  welcome: {
    type: 'welcome-email',
    template: 'services.email.welcomeTemplate',
    enabled: 'services.email.enabled.welcome',
    sample: { USERNAME: 'ana-lovelace', EMAIL: 'ana@example.org' },
  },
  resetPassword: {
    type: 'reset-password',
    template: 'services.email.resetPasswordTemplate',
    enabled: 'services.email.enabled.resetPassword',
    sample: {
      RESET_TOKEN: code,
      RESET_URL: 'https://example.org/reset',
      RESET_LINK: `https://example.org/reset?resetToken=${code}`,
    },
  },
  verifyEmail: {
    type: 'verify-email',
    template: 'services.email.verifyEmailTemplate',
    enabled: 'services.email.enabled.verifyEmail',
    sample: {
      VERIFY_TOKEN: code,
      VERIFY_URL: 'https://example.org/verify',
      VERIFY_LINK: `https://example.org/verify?verifyToken=${code}&username=ana-lovelace`,
      EMAIL: 'ana@example.org',
      USERNAME: 'ana-lovelace',
    },
  },
  emailChallenge: {
    type: 'email-challenge',
    template: 'services.email.emailChallengeTemplate',
    sample: { CODE: 'ABCD-2345', EMAIL: 'ana@example.org', CODE_MAX_AGE_MINUTES: '15' },
  },
  mfaChange: {
    type: 'mfa-change',
    template: 'services.email.mfaChangeTemplate',
    enabled: 'services.email.enabled.mfaChange',
    sample: { USERNAME: 'ana-lovelace', MFA_CHANGE: 'enrolled', MFA_ENROLLED: 'true' },
  },
}

/** Returns the template name that the settings give a kind. */
export const templateOf = (config: Config, kind: MailKind): string => config.get(mailKinds[kind].template)

/** Returns sample values for a template name; for a name that no kind uses, those of all kinds. */
export function sampleFor(config: Config, type: string): Record<string, string> {
  const kinds = Object.values(mailKinds)
  const own = kinds.filter(({ template }) => config.get(template) === type)
  return Object.assign({}, ...(own.length > 0 ? own : kinds).map(({ sample }) => sample)) as Record<string, string>
}
