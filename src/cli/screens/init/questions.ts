/** Questions of the wizard of `coffer init`, in order; no screen, no I/O of its own. */
import type { Choice } from '../parts.js'

export interface Answers {
  home: string
  host: string
  port: string
  /** Form of account addresses. */
  reach: string
  publicUrl: string
  domain: string
  /** Storage of the node key: `keychain`, `passphrase` or `file`. */
  keyStorage: string
  passphrase: string
  passphraseAgain: string
  /** Empty for a node without an account. */
  username: string
  email: string
  password: string
  again: string
}

type Name = keyof Answers

/** Availability of the system keychain. */
export type Keychain = { is: 'checking' } | { is: 'available' } | { is: 'unavailable'; why: string }

export interface Question {
  /** `review` is the last question: the summary of the new node. */
  name: Name | 'review'
  step: number
  /** The question. */
  title: string
  /** Explanation below it. */
  about?: string
  kind: 'text' | 'hidden' | 'choice' | 'review'
  choices?(answers: Answers): Choice[]
  /** Checks whether the question applies after the answers so far; always if absent. */
  when?(answers: Answers): boolean
  /** Returns why an answer is invalid. */
  check?(value: string, answers: Answers, keychain: Keychain): string | undefined
}

export const steps = 5

/** Validation rules of the machine and the node; each returns why a value is invalid. */
export interface Rules {
  home(path: string): string | undefined
  /** Validates a value for a setting. */
  setting(key: 'http.ip' | 'http.port' | 'dnsLess.publicUrl' | 'dns.domain', value: string): string | undefined
  username(name: string): string | undefined
  email(address: string): string | undefined
  /** Validates the whole account, including the password policy. */
  account(account: { username: string; email: string; password: string }): string | undefined
}

const wantsPassphrase = ({ keyStorage }: Answers): boolean => keyStorage === 'passphrase'
const wantsAccount = ({ username }: Answers): boolean => username !== ''

/** Returns all questions. */
export function initQuestions(rules: Rules): Question[] {
  return [
    {
      name: 'home',
      step: 1,
      kind: 'text',
      title: 'Folder of the node?',
      about: 'Settings, key, store and files all go there.',
      check: (value) => (value === '' ? 'A folder is needed.' : rules.home(value)),
    },
    {
      name: 'host',
      step: 2,
      kind: 'choice',
      title: 'Who may connect to the node?',
      choices: ({ host }) => {
        const common = [
          { value: '127.0.0.1', label: 'This machine only', about: 'also for a proxy on this machine' },
          { value: '0.0.0.0', label: 'The network', about: 'every address of this machine, without encryption' },
        ]
        const isCommon = common.some(({ value }) => value === host)
        return isCommon ? common : [...common, { value: host, label: host, about: 'from the settings' }]
      },
      check: (value) => rules.setting('http.ip', value),
    },
    {
      name: 'port',
      step: 2,
      kind: 'text',
      title: 'Which port should it listen on?',
      check: (value) => rules.setting('http.port', value),
    },
    {
      name: 'reach',
      step: 2,
      kind: 'choice',
      title: 'How do apps address the accounts?',
      choices: ({ host, port }) => [
        { value: 'path', label: 'By path, here', about: localAddress(host, port) },
        { value: 'proxy', label: 'By path, behind a proxy', about: 'https://node.example.org/{username}/' },
        { value: 'domain', label: 'By host name', about: 'https://{username}.example.org/' },
      ],
    },
    {
      name: 'publicUrl',
      step: 2,
      kind: 'text',
      title: 'At which address do apps reach the node?',
      about: 'Such as https://node.example.org, the address of the proxy.',
      when: ({ reach }) => reach === 'proxy',
      check: (value) => rules.setting('dnsLess.publicUrl', value),
    },
    {
      name: 'domain',
      step: 2,
      kind: 'text',
      title: 'Which domain contains the host names?',
      about: 'Such as example.org; *.example.org must resolve to this node.',
      when: ({ reach }) => reach === 'domain',
      check: (value) => rules.setting('dns.domain', value),
    },
    {
      name: 'keyStorage',
      step: 3,
      kind: 'choice',
      title: 'Where should the node key be stored?',
      about: 'It encrypts the secrets in the store; without it, they cannot be read.',
      choices: () => [
        { value: 'keychain', label: 'System keychain', about: 'unlocks when you log in' },
        { value: 'passphrase', label: 'A passphrase', about: 'entered at every start' },
        { value: 'file', label: 'A key file', about: 'for unattended servers, mode 0600' },
      ],
      check: (value, _, keychain) =>
        value !== 'keychain' || keychain.is === 'available'
          ? undefined
          : keychain.is === 'checking'
            ? 'The keychain is still being checked.'
            : 'No keychain is available. Choose another place.',
    },
    {
      name: 'passphrase',
      step: 3,
      kind: 'hidden',
      title: 'Passphrase for the key?',
      about: 'Hidden while typing. If you lose it, the data of the node are lost.',
      when: wantsPassphrase,
      check: (value) => (value === '' ? 'A passphrase is needed.' : undefined),
    },
    {
      name: 'passphraseAgain',
      step: 3,
      kind: 'hidden',
      title: 'The passphrase again?',
      when: wantsPassphrase,
      check: (value, { passphrase }) => (value === passphrase ? undefined : 'The two entries differ.'),
    },
    {
      name: 'username',
      step: 4,
      kind: 'text',
      title: 'Username of the first account?',
      about: '5 to 60 lower-case letters, digits and dashes; leave empty to create accounts later.',
      check: (value) => (value === '' ? undefined : rules.username(value)),
    },
    {
      name: 'email',
      step: 4,
      kind: 'text',
      title: 'E-mail address of the account?',
      when: wantsAccount,
      check: (value) => rules.email(value),
    },
    {
      name: 'password',
      step: 4,
      kind: 'hidden',
      title: 'Password of the account?',
      about: '6 characters or more; hidden while typing.',
      when: wantsAccount,
      check: (password, { username, email }) => rules.account({ username, email, password }),
    },
    {
      name: 'again',
      step: 4,
      kind: 'hidden',
      title: 'The password again?',
      when: wantsAccount,
      check: (value, { password }) => (value === password ? undefined : 'The two entries differ.'),
    },
    { name: 'review', step: steps, kind: 'review', title: 'Create the node?' },
  ]
}

/** Returns the local address of accounts; for a wildcard address, that of the loopback interface. */
function localAddress(host: string, port: string): string {
  const isAll = host === '0.0.0.0' || host === '::'
  return `http://${isAll ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}/{username}/`
}

const storageWords: Readonly<Record<string, string>> = {
  keychain: 'in the system keychain',
  passphrase: 'encrypted with a passphrase',
  file: 'in a file of mode 0600',
}

/** Lists the answers before a step, one line each. */
export function summary(answers: Answers, beforeStep: number): Array<readonly [label: string, value: string]> {
  const { home, host, port, reach, publicUrl, domain, keyStorage, username, email } = answers
  const reached: Record<string, string> = {
    path: localAddress(host, port),
    proxy: `${publicUrl.replace(/\/+$/, '')}/{username}/`,
    domain: `https://{username}.${domain}/`,
  }
  const lines: Array<readonly [step: number, label: string, value: string]> = [
    [1, 'Folder', home],
    [2, 'Listens at', `${host}:${port}`],
    [2, 'Accounts', reached[reach] ?? ''],
    [3, 'Key', storageWords[keyStorage] ?? ''],
    [4, 'Account', username === '' ? 'no account yet' : [username, email].filter((each) => each !== '').join('  ')],
  ]
  return lines.filter(([step]) => step < beforeStep).map(([, label, value]) => [label, value])
}
