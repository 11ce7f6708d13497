import { existsSync } from 'node:fs'
import { editConfigFile } from '../../../server/config/editFile.js'
import { readValue } from '../../../server/config/readValue.js'
import { environmentName, settingKeys, settings } from '../../../server/config/settings/settings.js'
import { command } from '../../command.js'
import type { Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import { readSecret } from '../../terminal/input/secret.js'
import { flag, text } from '../../framework/option.js'
import { hidden, isSecret, plainValue, settingNamed } from './settingArgument.js'
import { writeUnfit } from './unfit.js'

/** `coffer config set <key> <value>`. */
export const set = command({
  path: ['config', 'set'],
  summary: 'Change one setting in the configuration file',
  description:
    'Checks the value, then changes that one line of config.toml; comments and everything else stay. ' +
    'Lists are words parted by commas, or JSON. null takes the setting out of the file where it can be unset.\n\n' +
    'A secret is never an argument, which others on the machine could see: it is asked for, or read with --stdin or ' +
    '--from. A running node takes the change at its next start: coffer restart.',
  arguments: {
    key: text('A setting, such as http.port', { required: true, suggests: settingKeys }),
    value: text('The new value; left out for secrets'),
  },
  options: {
    stdin: flag('Read the value from stdin'),
    from: text('Read the value from a file', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer config set http.port 8080', says: 'listen on another port' },
    { type: 'coffer config set http.trustedProxies loopback,10.0.0.2', says: 'believe a proxy' },
    { type: 'coffer config set auth.adminAccessKey --stdin < key.txt', says: 'change the operator key' },
  ],
  json: '{"key","value","file","changed"}; changed is false when the file already said so; a secret is "•••".',
  reach: 'machine',
  offline: true,
  async run(context, input) {
    const { out, paths, env, flags } = context
    const key = settingNamed(input.key)
    if (flags.config === undefined && !existsSync(paths.home)) {
      throw new CommandError(`There is no store in ${paths.home}.`, { exit: 10, hint: ['Make one', 'init'] })
    }
    const given = await valueOf(context, key, input)
    const reading = readValue(key, given)
    if ('wrong' in reading) throw usageError(reading.wrong, settings[key].summary)
    const changed = editConfigFile(paths.config, key, given)
    const value = isSecret(key) && reading.value !== null ? hidden : reading.value
    await out.result(
      { key, value, file: paths.config, changed },
      {
        id: key,
        print: () => {
          const text = value === null ? `${key} is not set` : `${key} = ${plainValue(value)}`
          out.done(`${text}   in ${paths.config}${changed ? '' : ', as before'}`)
          const variable = environmentName(key)
          if (env[variable] !== undefined) out.warn(`The variable ${variable} wins over the file here.`)
          writeUnfit(context)
        },
      },
    )
  },
})

const ways = '--stdin or --from <file>'

async function valueOf(
  { terminal }: Context,
  key: Parameters<typeof isSecret>[0],
  { value, stdin, from }: { value: string | undefined; stdin: boolean; from: string | undefined },
): Promise<string> {
  if ([value !== undefined, stdin, from !== undefined].filter(Boolean).length > 1) {
    throw usageError('Give the value once: as an argument, with --stdin or with --from')
  }
  if (value !== undefined) {
    if (!isSecret(key)) return value
    throw usageError(`${key} is a secret and does not belong on a command line`, `Give it with ${ways}`)
  }
  if (!isSecret(key) && !stdin && from === undefined) throw usageError('[value] is missing', settings[key].summary)
  return readSecret(terminal, { prompt: key, stdin, file: from, missing: ways, twice: isSecret(key) })
}
