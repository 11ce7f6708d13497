import { existsSync } from 'node:fs'
import { editConfigFile } from '../../../server/config/editFile.js'
import { readValue } from '../../../server/config/readValue.js'
import { isSecretSetting, environmentName, settingKeys, settings } from '../../../server/config/settings/settings.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { readSecret } from '../../terminal/input/secret.js'
import { flag, inputFile, text } from '../../framework/option.js'
import { hidden, plainValue, settingNamed } from './settingArgument.js'
import { warnIfInvalid } from './warnIfInvalid.js'

/** `coffer config set <key> <value>`. */
export const set = command({
  path: ['config', 'set'],
  summary: 'Change one setting in the configuration file',
  description:
    'Checks the value, then changes only that line of config.toml; comments and other lines stay as they are. ' +
    'Lists are comma-separated words, or JSON. null removes the setting from the file if it can be unset.\n\n' +
    'Secrets are not accepted as arguments, because other users of the machine could see them: coffer prompts for them, or reads them with --stdin or ' +
    '--from. A running node applies the change at the next start: coffer restart.',
  arguments: {
    key: text('Setting, such as http.port', { required: true, suggests: settingKeys }),
    value: text('New value; omit for secrets'),
  },
  options: {
    stdin: flag('Read the value from stdin', { stdin: 'always' }),
    from: inputFile('Read the value from a file'),
  },
  examples: [
    { type: 'coffer config set http.port 8080', description: 'listen on a different port' },
    { type: 'coffer config set http.trustedProxies loopback,10.0.0.2', description: 'trust a reverse proxy' },
    { type: 'coffer config set auth.adminAccessKey --stdin < key.txt', description: 'change the operator key' },
  ],
  json: '{"key","value","file","changed"}; changed is false if the file already had this value; a secret is "•••".',
  reach: 'machine',
  offline: true,
  async run(context, input) {
    const { out, paths, env, flags } = context
    const key = settingNamed(input.key)
    if (flags.config === undefined && !existsSync(paths.home)) {
      throw new CommandError(`No store in ${paths.home}.`, { exit: 10, hint: ['Create one', 'init'] })
    }
    const given = await valueOf(context, key, input)
    const reading = readValue(key, given)
    if ('wrong' in reading) throw usageError(reading.wrong, settings[key].summary)
    const changed = editConfigFile(paths.config, key, given)
    const value = isSecretSetting(key) && reading.value !== null ? hidden : reading.value
    await out.result(
      { key, value, file: paths.config, changed },
      {
        id: key,
        print: () => {
          const text = value === null ? `${key} is not set` : `${key} = ${plainValue(value)}`
          out.done(`${text}   in ${paths.config}${changed ? '' : ', unchanged'}`)
          const variable = environmentName(key)
          if (env[variable] !== undefined) out.warn(`The variable ${variable} overrides the file here.`)
          warnIfInvalid(context)
        },
      },
    )
  },
})

const ways = '--stdin or --from <file>'

async function valueOf(
  { terminal }: Context,
  key: Parameters<typeof isSecretSetting>[0],
  { value, stdin, from }: { value: string | undefined; stdin: boolean; from: string | undefined },
): Promise<string> {
  if ([value !== undefined, stdin, from !== undefined].filter(Boolean).length > 1) {
    throw usageError('The value is given twice: use the argument, --stdin or --from')
  }
  if (value !== undefined) {
    if (!isSecretSetting(key)) return value
    throw usageError(`${key} is a secret and is not accepted on the command line`, `Use ${ways}`)
  }
  if (!isSecretSetting(key) && !stdin && from === undefined) throw usageError('[value] is required', settings[key].summary)
  return readSecret(terminal, { prompt: key, stdin, file: from, missing: ways, twice: isSecretSetting(key) })
}
