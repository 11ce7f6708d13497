/** Input of `coffer init`, from its options or from the answers of its wizard. */
import type { Config } from '../../../server/config/config.js'
import { readValue } from '../../../server/config/readValue.js'
import type { FirstAccount } from '../../../server/launch/firstAccount.js'
import type { SettingKey } from '../../../server/config/settings/settings.js'
import { KEY_STORAGE_NAMES, type KeyStorage } from '../../client/keyStorageOptions.js'
import { usageError } from '../../framework/exit.js'
import { shellLine } from '../../framework/shell.js'
import type { Answers } from '../../screens/init/questions.js'

/** Options of `coffer init` that describe the new node. */
export interface NewNodeOptions {
  host?: string | undefined
  port?: number | undefined
  publicUrl?: string | undefined
  domain?: string | undefined
  name?: string | undefined
  keepKey?: KeyStorage | undefined
  newPassphraseFile?: string | undefined
  user?: string | undefined
  email?: string | undefined
}

type Settings = Partial<Record<SettingKey, unknown>>

/** Returns the settings that the options set. */
export function settingsOf({ host, port, publicUrl, domain, name }: NewNodeOptions): Settings {
  return {
    ...(host === undefined ? {} : { 'http.ip': host }),
    ...(port === undefined ? {} : { 'http.port': port }),
    ...(publicUrl === undefined ? {} : { 'dnsLess.publicUrl': publicUrl }),
    ...(domain === undefined ? {} : { 'dns.domain': domain, 'dnsLess.isActive': false }),
    ...(name === undefined ? {} : { 'sync.name': name }),
  }
}

/** Returns the first account; undefined for none. */
export function accountOf({ user, email }: NewNodeOptions, password: string | undefined): FirstAccount | undefined {
  if (user === undefined || user === '') {
    if (email === undefined && password === undefined) return undefined
    throw usageError('--user <username> is required with an e-mail address or a password', 'See: coffer init --help')
  }
  return { username: user, password: password ?? '', ...(email === undefined || email === '' ? {} : { email }) }
}

/** Returns the questions that the options already answer. */
export function answeredBy(given: NewNodeOptions, has: { home: boolean; password: boolean }): Set<string> {
  const { host, port, publicUrl, domain, keepKey, newPassphraseFile, user, email } = given
  const names: Array<[boolean, ...string[]]> = [
    [has.home, 'home'],
    [host !== undefined, 'host'],
    [port !== undefined, 'port'],
    [publicUrl !== undefined || domain !== undefined, 'reach', 'publicUrl', 'domain'],
    [keepKey !== undefined, 'keyStorage'],
    [newPassphraseFile !== undefined || (keepKey !== undefined && keepKey !== 'passphrase'), 'passphrase', 'passphraseAgain'],
    [user !== undefined, 'username'],
    [email !== undefined, 'email'],
    [has.password, 'password', 'again'],
  ]
  return new Set(names.flatMap(([isAnswered, ...each]) => (isAnswered ? each : [])))
}

/** Returns the initial answers of the wizard: the options, else the settings. */
export function firstAnswers(given: NewNodeOptions, home: string, config: Config): Answers {
  const publicUrl = given.publicUrl ?? config.get('dnsLess.publicUrl') ?? ''
  const domain = given.domain ?? (config.get('dnsLess.isActive') ? '' : (config.get('dns.domain') ?? ''))
  return {
    home,
    host: given.host ?? config.get('http.ip'),
    port: String(given.port ?? config.get('http.port')),
    reach: domain !== '' ? 'domain' : publicUrl !== '' ? 'proxy' : 'path',
    publicUrl,
    domain,
    keyStorage: given.keepKey ?? 'file',
    passphrase: '',
    passphraseAgain: '',
    username: given.user ?? '',
    email: given.email ?? '',
    password: '',
    again: '',
  }
}

/** Returns the answers as options, without those that equal the settings of the node. */
export function optionsFrom(answers: Answers, given: NewNodeOptions, config: Config): NewNodeOptions {
  const { host, port, reach, publicUrl, domain, keyStorage, username, email } = answers
  const keepKey = KEY_STORAGE_NAMES.find((each) => each === keyStorage)
  const answered: NewNodeOptions = {
    ...(isSet(config, 'http.ip', host) ? {} : { host }),
    ...(isSet(config, 'http.port', port) ? {} : { port: Number(port) }),
    ...(reach !== 'proxy' || isSet(config, 'dnsLess.publicUrl', publicUrl) ? {} : { publicUrl }),
    ...(reach !== 'domain' || (isSet(config, 'dns.domain', domain) && !config.get('dnsLess.isActive')) ? {} : { domain }),
    ...(keepKey === undefined ? {} : { keepKey }),
    ...(username === '' ? {} : { user: username, email }),
  }
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return { ...answered, ...options }
}

function isSet(config: Config, key: SettingKey, text: string): boolean {
  const reading = readValue(key, text)
  return 'value' in reading && reading.value === config.get(key)
}

/**
 * Returns a command that repeats this setup without prompts; `init` is `coffer init`, with the home where it is needed.
 * A typed passphrase has to be put into a file first.
 */
export function repeatCommand(init: string, { host, port, publicUrl, domain, name, keepKey, newPassphraseFile, user, email }: NewNodeOptions): string {
  const options = Object.entries({ host, port, 'public-url': publicUrl, domain, name, 'keep-key': keepKey, 'new-passphrase-file': newPassphraseFile, user, email })
  const words = options.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`--${name}`, String(value)]))
  const file = keepKey === 'passphrase' && newPassphraseFile === undefined ? ['--new-passphrase-file <file>'] : []
  const password = user === undefined ? [] : ['--password-stdin']
  return [init, shellLine(words), ...file, ...password, '--no-input'].filter((each) => each !== '').join(' ')
}
