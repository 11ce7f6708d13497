/** What the options of `coffer start` stand for. */
import { usageError } from '../../framework/exit.js'
import { list, text, whole } from '../../framework/option.js'
import type { Paths } from '../../framework/paths.js'

/** Those that the node itself takes, wherever it runs. */
export const startOptions = {
  passphraseFile: text('Read the passphrase of the node key from a file; COFFER_PASSPHRASE_FILE names one too', { placeholder: 'file', completes: 'file' }),
  host: text('Address to listen on, over the setting http.ip', { placeholder: 'address' }),
  port: whole('Port to listen on, over the setting http.port; 0 takes a free one', { to: 65535 }),
  behindProxy: text('Address by which apps reach it through a proxy, over the setting dnsLess.publicUrl', { placeholder: 'url' }),
  set: list('A setting for this run, as key=value', { placeholder: 'key=value' }),
}

export interface StartInput {
  passphraseFile: string | undefined
  host: string | undefined
  port: number | undefined
  behindProxy: string | undefined
  set: readonly string[]
}

const given = (key: string, value: unknown): Record<string, unknown> => (value === undefined ? {} : { [key]: value })

/** The settings of this run. @throws CommandError 2 */
function settingsOf(pairs: readonly string[]): Record<string, string> {
  const settings: Record<string, string> = {}
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw usageError(`--set takes key=value, not ${JSON.stringify(pair)}`, 'See: coffer help settings')
    settings[pair.slice(0, equals)] = pair.slice(equals + 1)
  }
  return settings
}

/** The settings of this run, over those of the configuration. @throws CommandError 2 */
export function settingsAsked({ set, host, port, behindProxy }: StartInput): Record<string, unknown> {
  return { ...settingsOf(set), ...given('http.ip', host), ...given('http.port', port), ...given('dnsLess.publicUrl', behindProxy) }
}

/** The words of the same start in a process of its own; `config` is the file that was named for it. */
export function sameStart({ home }: Pick<Paths, 'home'>, config: string | undefined, options: StartInput): string[] {
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
