/** How commands name a template. */
import { choice, text } from '../../framework/option.js'

/** The templates that coffer brings; others may be named by the settings. */
const types = ['welcome-email', 'reset-password', 'verify-email', 'email-challenge', 'mfa-change']

export const parts = ['subject', 'html'] as const

export const typeArgument = text('The template, such as welcome-email', { required: true, suggests: types })

export const typeOption = text('The template; without it, welcome-email', { placeholder: 'template', suggests: types })

export const langOption = text('Code of the language; without it, en', { placeholder: 'code', suggests: ['en', 'fr', 'de'] })

export const partOption = choice(parts, 'Its subject or its page')
