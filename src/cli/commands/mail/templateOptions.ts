/** Arguments and options that identify a mail template. */
import { choice, text } from '../../framework/option.js'

/** Templates that coffer includes; settings may name others. */
const types = ['welcome-email', 'reset-password', 'verify-email', 'email-challenge', 'mfa-change']

export const parts = ['subject', 'html'] as const

export const typeArgument = text('Template, such as welcome-email', { required: true, suggests: types })

export const typeOption = text('Template; defaults to welcome-email', { placeholder: 'template', suggests: types })

export const langOption = text('Language code; defaults to en', { placeholder: 'code', suggests: ['en', 'fr', 'de'] })

export const partOption = choice(parts, 'Part of the template')
