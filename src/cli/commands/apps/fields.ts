/** Options that describe an application, and their conversion into a directory entry. */
import { usageError } from '../../framework/exit.js'
import { choice, list, text } from '../../framework/option.js'

const yesOrNo = ['yes', 'no'] as const

export const entryOptions = {
  name: text('Display name', { placeholder: 'name' }),
  description: text('Description'),
  url: text('URL of the application', { placeholder: 'address' }),
  icon: text('URL of its icon', { placeholder: 'address' }),
  settingsPage: text('URL of its settings page', { placeholder: 'address' }),
  category: text('Category to group it by', { placeholder: 'word' }),
  support: list('URL where users find help', { placeholder: 'address' }),
  active: choice(yesOrNo, 'Mark it as active'),
  onboarding: choice(yesOrNo, 'Offer it to new users'),
}

interface EntryOptions {
  name: string | undefined
  description: string | undefined
  url: string | undefined
  icon: string | undefined
  settingsPage: string | undefined
  category: string | undefined
  support: readonly string[]
  active: 'yes' | 'no' | undefined
  onboarding: 'yes' | 'no' | undefined
}

/** Returns the given fields; an empty text removes a field when an entry is updated. */
export function entryOf(options: EntryOptions): Record<string, unknown> {
  const texts = {
    displayName: options.name,
    description: options.description,
    appURL: options.url,
    iconURL: options.icon,
    settingsPageURL: options.settingsPage,
    category: options.category,
  }
  const entry: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(texts)) {
    if (value === undefined) continue
    if (field.endsWith('URL') && value !== '' && !/^https?:\/\//.test(value)) {
      throw usageError(`A URL starts with http:// or https://, not ${JSON.stringify(value)}`)
    }
    entry[field] = value === '' ? null : value
  }
  if (options.support.length > 0) entry['support'] = options.support.filter((address) => address !== '')
  if (options.active !== undefined) entry['active'] = options.active === 'yes'
  if (options.onboarding !== undefined) entry['onboarding'] = options.onboarding === 'yes'
  return entry
}
