/** Settings as terms, for help and the man page. */
import { environmentName, settingKeys, settings } from '../../server/config/settings/settings.js'

/** Returns every setting with its description, form, default and variable. */
export function settingTerms(): Array<readonly [string, string]> {
  return settingKeys.map((key) => {
    const { summary, kind, default: value } = settings[key]
    const unset = value === null ? 'not set' : JSON.stringify(value)
    return [key, `${summary} Takes ${kind.form}. Default: ${unset}. Variable: ${environmentName(key)}.`]
  })
}
