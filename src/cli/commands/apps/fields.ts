/** The options that describe an application, and the entry that they make. */
import { usageError } from '../../framework/exit.js'
import { choice, list, text } from '../../framework/option.js'

const yesOrNo = ['yes', 'no'] as const

export const entryOptions = {
  name: text('Name that people see', { placeholder: 'name' }),
  description: text('What it is for'),
  url: text('Where it is', { placeholder: 'address' }),
  icon: text('Address of its icon', { placeholder: 'address' }),
  settingsPage: text('Address of its settings', { placeholder: 'address' }),
  category: text('A word to group it by', { placeholder: 'word' }),
  support: list('Where its users find help; may be given several times', { placeholder: 'address' }),
  active: choice(yesOrNo, 'Whether it can be used now'),
  onboarding: choice(yesOrNo, 'Whether it is offered to new users'),
}

interface Described {
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

/** The fields given; an empty text takes a field out of an entry that is updated. */
export function entryOf(options: Described): Record<string, unknown> {
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
      throw usageError(`An address begins with http:// or https://, not ${JSON.stringify(value)}`)
    }
    entry[field] = value === '' ? null : value
  }
  if (options.support.length > 0) entry['support'] = options.support.filter((address) => address !== '')
  if (options.active !== undefined) entry['active'] = options.active === 'yes'
  if (options.onboarding !== undefined) entry['onboarding'] = options.onboarding === 'yes'
  return entry
}
