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
  keeper: string
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
export type Keychain = { is: 'looking' } | { is: 'there' } | { is: 'absent'; why: string }

export interface Question {
  /** `review` is the last question: the summary of the new node. */
  name: Name | 'review'
  step: number
  asks: string
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

const wantsPassphrase = ({ keeper }: Answers): boolean => keeper === 'passphrase'
const wantsAccount = ({ username }: Answers): boolean => username !== ''

/** Returns all questions. */
export function initQuestions(rules: Rules): Question[] {
  return [
    {
      name: 'home',
      step: 1,
      kind: 'text',
      asks: 'Folder of the node?',
      about: 'Settings, key, store and files all go there.',
      check: (value) => (value === '' ? 'A folder is needed.' : rules.home(value)),
    },
    {
      name: 'host',
      step: 2,
      kind: 'choice',
      asks: 'Who may connect to the node?',
      choices: ({ host }) => {
        const usual = [
          { value: '127.0.0.1', label: 'This machine only', about: 'also right behind a proxy on this machine' },
          { value: '0.0.0.0', label: 'The network', about: 'every address of this machine, without encryption' },
        ]
        const isUsual = usual.some(({ value }) => value === host)
        return isUsual ? usual : [...usual, { value: host, label: host, about: 'as the settings say' }]
      },
      check: (value) => rules.setting('http.ip', value),
    },
    {
      name: 'port',
      step: 2,
      kind: 'text',
      asks: 'Which port should it listen on?',
      check: (value) => rules.setting('http.port', value),
    },
    {
      name: 'reach',
      step: 2,
      kind: 'choice',
      asks: 'How do apps address the accounts?',
      choices: ({ host, port }) => [
        { value: 'path', label: 'By path, here', about: hereAddress(host, port) },
        { value: 'proxy', label: 'By path, behind a proxy', about: 'https://node.example.org/{username}/' },
        { value: 'domain', label: 'By host name', about: 'https://{username}.example.org/' },
      ],
    },
    {
      name: 'publicUrl',
      step: 2,
      kind: 'text',
      asks: 'At which address do apps reach the node?',
      about: 'Such as https://node.example.org, the address of the proxy.',
      when: ({ reach }) => reach === 'proxy',
      check: (value) => rules.setting('dnsLess.publicUrl', value),
    },
    {
      name: 'domain',
      step: 2,
      kind: 'text',
      asks: 'Which domain contains the host names?',
      about: 'Such as example.org; *.example.org must resolve to this node.',
      when: ({ reach }) => reach === 'domain',
      check: (value) => rules.setting('dns.domain', value),
    },
    {
      name: 'keeper',
      step: 3,
      kind: 'choice',
      asks: 'Where should the node key be stored?',
      about: 'It encrypts the secrets in the store; without it, they cannot be read.',
      choices: () => [
        { value: 'keychain', label: 'System keychain', about: 'unlocks when you log in' },
        { value: 'passphrase', label: 'A passphrase', about: 'asked at every start' },
        { value: 'file', label: 'A key file', about: 'for unattended servers, mode 0600' },
      ],
      check: (value, _, keychain) =>
        value !== 'keychain' || keychain.is === 'there'
          ? undefined
          : keychain.is === 'looking'
            ? 'The keychain has not answered yet.'
            : 'No keychain is available. Choose another place.',
    },
    {
      name: 'passphrase',
      step: 3,
      kind: 'hidden',
      asks: 'Passphrase for the key?',
      about: 'Hidden while typing. If you lose it, the data of the node are lost.',
      when: wantsPassphrase,
      check: (value) => (value === '' ? 'A passphrase is needed.' : undefined),
    },
    {
      name: 'passphraseAgain',
      step: 3,
      kind: 'hidden',
      asks: 'The passphrase again?',
      when: wantsPassphrase,
      check: (value, { passphrase }) => (value === passphrase ? undefined : 'The two entries differ.'),
    },
    {
      name: 'username',
      step: 4,
      kind: 'text',
      asks: 'Username of the first account?',
      about: '5 to 60 lower-case letters, digits and dashes; leave empty to create accounts later.',
      check: (value) => (value === '' ? undefined : rules.username(value)),
    },
    {
      name: 'email',
      step: 4,
      kind: 'text',
      asks: 'What is its e-mail address?',
      when: wantsAccount,
      check: (value) => rules.email(value),
    },
    {
      name: 'password',
      step: 4,
      kind: 'hidden',
      asks: 'What is its password?',
      about: '6 characters or more; hidden while typing.',
      when: wantsAccount,
      check: (password, { username, email }) => rules.account({ username, email, password }),
    },
    {
      name: 'again',
      step: 4,
      kind: 'hidden',
      asks: 'The password again?',
      when: wantsAccount,
      check: (value, { password }) => (value === password ? undefined : 'The two entries differ.'),
    },
    { name: 'review', step: steps, kind: 'review', asks: 'Create the node?' },
  ]
}

/** Returns the local address of accounts; for a wildcard address, that of the loopback interface. */
function hereAddress(host: string, port: string): string {
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
  const { home, host, port, reach, publicUrl, domain, keeper, username, email } = answers
  const reached: Record<string, string> = {
    path: hereAddress(host, port),
    proxy: `${publicUrl.replace(/\/+$/, '')}/{username}/`,
    domain: `https://{username}.${domain}/`,
  }
  const lines: Array<readonly [step: number, label: string, value: string]> = [
    [1, 'Place', home],
    [2, 'Listens at', `${host}:${port}`],
    [2, 'Accounts', reached[reach] ?? ''],
    [3, 'Key', storageWords[keeper] ?? ''],
    [4, 'First', username === '' ? 'no account yet' : [username, email].filter((each) => each !== '').join('  ')],
  ]
  return lines.filter(([step]) => step < beforeStep).map(([, label, value]) => [label, value])
}
