/** What the wizard of `coffer init` asks, in order; no screen, no I/O of its own. */
import type { Choice } from '../parts.js'

export interface Answers {
  home: string
  host: string
  port: string
  /** How apps address the accounts. */
  reach: string
  publicUrl: string
  domain: string
  /** Where the node key is kept: `keychain`, `passphrase` or `file`. */
  keeper: string
  passphrase: string
  passphraseAgain: string
  /** Empty for a node without an account. */
  username: string
  email: string
  password: string
  again: string
}

export type Name = keyof Answers

/** What is known of the keychain of the system. */
export type Keychain = { is: 'looking' } | { is: 'there' } | { is: 'absent'; why: string }

export interface Question {
  /** `review` is the last: what will be made. */
  name: Name | 'review'
  step: number
  asks: string
  about?: string
  kind: 'text' | 'hidden' | 'choice' | 'review'
  choices?(answers: Answers): Choice[]
  /** Whether it is asked after what was answered so far; always when absent. */
  when?(answers: Answers): boolean
  /** Why an answer will not do. */
  check?(value: string, answers: Answers, keychain: Keychain): string | undefined
}

export const steps = 5

/** What the questions must know of the machine and of the rules of the node; each answers why something will not do. */
export interface Rules {
  home(path: string): string | undefined
  /** A value for a setting. */
  setting(key: 'http.ip' | 'http.port' | 'dnsLess.publicUrl' | 'dns.domain', value: string): string | undefined
  username(name: string): string | undefined
  email(address: string): string | undefined
  /** The whole account: the password by the rules that hold here. */
  account(account: { username: string; email: string; password: string }): string | undefined
}

const wantsPassphrase = ({ keeper }: Answers): boolean => keeper === 'passphrase'
const wantsAccount = ({ username }: Answers): boolean => username !== ''

/** All questions. */
export function initQuestions(rules: Rules): Question[] {
  return [
    {
      name: 'home',
      step: 1,
      kind: 'text',
      asks: 'In which folder shall the node live?',
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
      asks: 'On which port shall it listen?',
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
      asks: 'Which domain carries the host names?',
      about: 'Such as example.org; *.example.org must lead to this node.',
      when: ({ reach }) => reach === 'domain',
      check: (value) => rules.setting('dns.domain', value),
    },
    {
      name: 'keeper',
      step: 3,
      kind: 'choice',
      asks: "Where shall the node's key be kept?",
      about: 'It seals what is secret in the store; without it, nobody gets in.',
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
            : 'There is no keychain to keep it in. Choose another place.',
    },
    {
      name: 'passphrase',
      step: 3,
      kind: 'hidden',
      asks: 'Which passphrase shall open the key?',
      about: 'It does not show. Whoever loses it loses what the node holds.',
      when: wantsPassphrase,
      check: (value) => (value === '' ? 'A passphrase is needed.' : undefined),
    },
    {
      name: 'passphraseAgain',
      step: 3,
      kind: 'hidden',
      asks: 'The passphrase again?',
      when: wantsPassphrase,
      check: (value, { passphrase }) => (value === passphrase ? undefined : 'The two are not the same.'),
    },
    {
      name: 'username',
      step: 4,
      kind: 'text',
      asks: 'What is the first account called?',
      about: '5 to 60 small letters, digits and dashes; leave it empty to make accounts later.',
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
      about: '6 characters or more; it does not show.',
      when: wantsAccount,
      check: (password, { username, email }) => rules.account({ username, email, password }),
    },
    {
      name: 'again',
      step: 4,
      kind: 'hidden',
      asks: 'The password again?',
      when: wantsAccount,
      check: (value, { password }) => (value === password ? undefined : 'The two are not the same.'),
    },
    { name: 'review', step: steps, kind: 'review', asks: 'Make the node?' },
  ]
}

/** An address for all networks is reached at the loopback one, as far as the node itself knows. */
function hereAddress(host: string, port: string): string {
  const isAll = host === '0.0.0.0' || host === '::'
  return `http://${isAll ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}/{username}/`
}

const stored: Readonly<Record<string, string>> = {
  keychain: 'in the keychain of the system',
  passphrase: 'behind a passphrase',
  file: 'in a file of mode 0600',
}

/** What was answered before a step, one line each. */
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
    [3, 'Key', stored[keeper] ?? ''],
    [4, 'First', username === '' ? 'no account yet' : [username, email].filter((each) => each !== '').join('  ')],
  ]
  return lines.filter(([step]) => step < beforeStep).map(([, label, value]) => [label, value])
}
