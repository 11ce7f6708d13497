import { editConfigFile, isInConfigFile } from '../../../server/config/editFile.js'
import { environmentName, isSettingKey, settingKeys } from '../../../server/config/settings/settings.js'
import { command } from '../../command.js'
import { text } from '../../framework/option.js'
import { settingNamed } from './settingArgument.js'
import { warnIfInvalid } from './warnIfInvalid.js'

/** `coffer config unset <key>`. */
export const unset = command({
  path: ['config', 'unset'],
  summary: 'Remove a setting from the configuration file',
  description:
    'The default applies again. Also removes unknown keys. Removing a key that is not in the file is not an error.',
  arguments: { key: text('Setting, or any key in the file', { required: true, suggests: settingKeys }) },
  examples: [{ type: 'coffer config unset http.port', description: 'listen on the default port again' }],
  json: '{"key","file","changed"}; changed is false when the file did not have it.',
  reach: 'machine',
  offline: true,
  async run({ out, paths, env }, { key }) {
    if (!isSettingKey(key) && !isInConfigFile(paths.config, key)) settingNamed(key)
    const changed = editConfigFile(paths.config, key, undefined)
    await out.result(
      { key, file: paths.config, changed },
      {
        id: key,
        print: () => {
          out.done(`${key} is ${changed ? 'no longer' : 'not'} in ${paths.config}`)
          const variable = isSettingKey(key) ? environmentName(key) : undefined
          if (variable !== undefined && env[variable] !== undefined) out.warn(`The variable ${variable} still sets this value.`)
          warnIfInvalid({ out, paths, env })
        },
      },
    )
  },
})
