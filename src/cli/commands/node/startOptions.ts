/** Options of `coffer start`, and the settings they override. */
import { usageError } from '../../framework/exit.js'
import { list, text, whole } from '../../framework/option.js'
import type { Paths } from '../../framework/paths.js'

/** Options that the node itself uses, in the foreground or detached. */
export const startOptions = {
  passphraseFile: text('File with the passphrase of the node key, or - for stdin; also COFFER_PASSPHRASE_FILE', { placeholder: 'file', completes: 'file', stdin: 'dash' }),
  host: text('Address to listen on; overrides the setting http.ip', { placeholder: 'address' }),
  port: whole('Port to listen on, 0 for a free one; overrides the setting http.port', { to: 65535 }),
  behindProxy: text('Public URL of the node behind a reverse proxy; overrides the setting dnsLess.publicUrl', { placeholder: 'url' }),
  set: list('Override a setting for this run, as key=value', { placeholder: 'key=value' }),
}

export interface StartInput {
  passphraseFile: string | undefined
  host: string | undefined
  port: number | undefined
  behindProxy: string | undefined
  set: readonly string[]
}

const optionalSetting = (key: string, value: unknown): Record<string, unknown> => (value === undefined ? {} : { [key]: value })

/** Parses the settings given by --set. @throws CommandError 2 */
function settingsOf(pairs: readonly string[]): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw usageError(`--set takes key=value, not ${JSON.stringify(pair)}`, 'See: coffer help settings')
    settings[pair.slice(0, equals)] = pair.slice(equals + 1)
  }
  return settings
}

/** Returns the settings of this run, which override those of the configuration. @throws CommandError 2 */
export function settingOverrides({ set, host, port, behindProxy }: StartInput): Record<string, unknown> {
  return { ...settingsOf(set), ...optionalSetting('http.ip', host), ...optionalSetting('http.port', port), ...optionalSetting('dnsLess.publicUrl', behindProxy) }
}

/** Returns the arguments that start the same node in a separate process; `config` is the configuration file given for it. */
export function startArguments({ home }: Pick<Paths, 'home'>, config: string | undefined, options: StartInput): string[] {
  const option = (name: string, value: string | number | undefined): string[] => (value === undefined ? [] : [name, String(value)])
  return [
    ...['start', '--home', home],
    ...option('--config', config),
    ...option('--host', options.host),
    ...option('--port', options.port),
    ...option('--behind-proxy', options.behindProxy),
    ...option('--passphrase-file', options.passphraseFile),
    ...options.set.flatMap((pair) => ['--set', pair]),
  ]
}
