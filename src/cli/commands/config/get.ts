import { loadConfig } from '../../../server/config/config.js'
import { isSecretSetting, settingKeys } from '../../../server/config/settings/settings.js'
import { command } from '../../command.js'
import { flag, text } from '../../framework/option.js'
import { hidden, plainValue, settingNamed } from './settingArgument.js'

/** `coffer config get <key>`. */
export const get = command({
  path: ['config', 'get'],
  summary: 'Print one setting',
  description: 'Text is printed as is, other values as JSON. Prints nothing if the setting is not set.',
  arguments: { key: text('Setting, such as http.port', { required: true, suggests: settingKeys }) },
  options: { reveal: flag('Show the value of a secret') },
  examples: [
    { type: 'coffer config get http.port', description: 'print the port' },
    { type: 'coffer config get auth.adminAccessKey --reveal', description: 'print the operator key' },
  ],
  json: '{"key","value","origin","place"}, as in coffer config list.',
  reach: 'machine',
  offline: true,
  async run({ out, paths, env }, input) {
    const key = settingNamed(input.key)
    const entry = loadConfig({ file: paths.config, env })
      .entries()
      .find((each) => each.key === key)
    const stored = entry?.value ?? null
    const value = isSecretSetting(key) && !input.reveal && stored !== null ? hidden : stored
    const place = entry?.place === undefined ? {} : { place: entry.place }
    const plain = plainValue(value)
    await out.result(
      { key, value, origin: entry?.origin ?? 'default', ...place },
      {
        id: plain,
        print: async () => {
          if (value === null) out.note(`${key} is not set`)
          else await out.line(plain)
          if (value === hidden) out.note('The value is a secret; use --reveal to show it.')
        },
      },
    )
  },
})
