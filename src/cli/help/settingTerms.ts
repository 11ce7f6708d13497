/** The table of settings as terms, for help and the manual page. */
import { environmentName, settingKeys, settings } from '../../server/config/settings/settings.js'

/** Every setting with what it does, its form, its default and its variable. */
export function settingTerms(): Array<readonly [string, string]> {
  return settingKeys.map((key) => {
    const { summary, kind, default: value } = settings[key]
    const unset = value === null ? 'not set' : JSON.stringify(value)
    return [key, `${summary} Takes ${kind.form}. Default: ${unset}. Variable: ${environmentName(key)}.`]
  })
}
