/** Help topics: what belongs to no single command. `coffer help <topic>`, and parts of the manual pages. */
import { exitByFailure, exitCodes } from '../framework/exit.js'
import { failures } from '../../store/model/failure.js'
import type { Block } from './blocks.js'

export interface Topic {
  name: string
  /** One line, lower case, no full stop. */
  summary: string
  /** Loaded when asked for: the table of settings is not needed by other help. */
  blocks(): Promise<Block[]>
}

export const environmentTerms: ReadonlyArray<readonly [string, string]> = [
  ['COFFER_HOME', 'Folder of the node, when --home is not given.'],
  [
    'COFFER_SET_<NAME>',
    'A setting: its name in capitals, dots as underscores, words parted. ' +
      'auth.adminAccessKey is COFFER_SET_AUTH_ADMIN_ACCESS_KEY.',
  ],
  [
    'XDG_DATA_HOME',
    'The folder is $XDG_DATA_HOME/coffer when neither --home nor COFFER_HOME names one; ' +
      '~/.local/share/coffer without it.',
  ],
  ['XDG_CONFIG_HOME', 'The nodes of other machines are listed in $XDG_CONFIG_HOME/coffer/nodes.json, mode 0600; ~/.config without it.'],
  ['XDG_RUNTIME_DIR', 'Holds the socket of a node whose folder has too long a name.'],
  ['NO_COLOR, FORCE_COLOR, TERM=dumb', 'No colours; colours also in a pipe; no colours. --no-color wins over all.'],
]

export const fileTerms: ReadonlyArray<readonly [string, string]> = [
  ['config.toml', 'The settings. Holds secrets, so only its owner may read it.'],
  ['store/', 'The database.'],
  ['files/', 'Attached files, by their content.'],
  ['node.key', 'The key that seals what is secret in the store.'],
  ['node.sock', 'Where a running node takes commands.'],
  ['node.log', 'What a running node tells, one JSON object a line; node.log.1 is the one before. Of the default home in $XDG_STATE_HOME/coffer.'],
]

const environment: Topic = {
  name: 'environment',
  summary: 'variables that coffer reads',
  blocks: async () => [
    { heading: 'Environment' },
    {
      text:
        'A flag wins over a variable, a variable over config.toml, and config.toml over the default. ' +
        '"coffer config list --origin" shows where every value comes from.',
    },
    { terms: environmentTerms },
  ],
}

const exits: Topic = {
  name: 'exit-codes',
  summary: 'what the exit code of a command says',
  blocks: async () => [
    { heading: 'Exit codes' },
    { terms: exitCodes.map(({ code, meaning }) => [String(code), meaning] as const) },
    { text: 'Treat any other code as a failure. Status answers 7 when no node runs.' },
  ],
}

const formatting: Topic = {
  name: 'formatting',
  summary: 'how results are printed, for people and for scripts',
  blocks: async () => [
    { heading: 'Formatting' },
    { text: 'Results go to stdout; everything else (counts, hints, progress, failures) to stderr.' },
    {
      terms: [
        ['on a terminal', 'Lists are aligned tables with a header.'],
        ['in a pipe', 'Lists are lines with tabs, without header, nothing cut.'],
        ['-q, --quiet', 'Ids only, one per line.'],
        ['--json', 'One JSON document, or one object per line where something goes on. Names are those of the API.'],
        [
          'progress',
          'Commands that give a line for each thing that happens (import, export of an account, backup, restore) also tell how far they are, each ' +
            'second: {"event":"progress","phase","done","total"}, in bytes or things by the phase, total where it is known. The last line is ' +
            '{"event":"done",…}.',
        ],
        ['failures', 'With --json: {"error":{"id","message","data"}} on stderr, beside the exit code.'],
      ],
    },
    { code: ['coffer config list --json | jq -r \'.settings[] | select(.origin != "default").key\''] },
  ],
}

const files: Topic = {
  name: 'files',
  summary: 'what the folder of a node holds',
  blocks: async () => [
    { heading: 'Files' },
    { text: 'Everything of a node is in one folder, which "coffer config path" names.' },
    { terms: fileTerms },
  ],
}

const settingsTopic: Topic = {
  name: 'settings',
  summary: 'every setting, with its default',
  blocks: async () => {
    const { settingTerms } = await import('./settingTerms.js')
    return [
      { heading: 'Settings' },
      { text: 'Read and change them with "coffer config"; they take effect when the node starts.' },
      { terms: settingTerms() },
    ]
  },
}

const failureTopic: Topic = {
  name: 'failures',
  summary: 'every way a call can be refused, and its exit code',
  blocks: async () => [
    { heading: 'Failures' },
    { text: 'The id is what scripts compare; messages may be worded better one day.' },
    { terms: failureTerms() },
  ],
}

const methodTopic: Topic = {
  name: 'methods',
  summary: 'every method that coffer api can call',
  blocks: async () => {
    const { servedMethods } = await import('./api/entries.js')
    const terms = servedMethods.map((each) => [each.id, each.summary] as const)
    return [
      { heading: 'Methods' },
      {
        text:
          'One of them with its parameters, result and errors: coffer help <method>, or the manual pages that coffer-api(7) lists. A running node ' +
          'describes all at /web/api, and as OpenAPI at /openapi.json.',
      },
      { terms: [...new Map(terms)] },
    ]
  },
}

const keys: Topic = {
  name: 'keys',
  summary: 'what opens what: keys, tokens, passphrases, and where they are kept',
  blocks: async () => [
    { heading: 'Keys' },
    {
      terms: [
        ['the key of the node', 'Seals tokens and other secrets in the store. In node.key, mode 0600; or behind a passphrase, or in the keychain of the system: coffer store rekey. Lost, nobody can read them; a backup holds it.'],
        ['the keychain', 'On Linux a program of the desktop session that keeps secrets, such as gnome-keyring or KWallet; unlocked when its person logs in. A node whose key it has starts in such a session alone, not as a service of the machine. Entries are named coffer: node-… for a node, as node.key says; operator key of … for a node of another machine.'],
        ['the operator key', 'The setting auth.adminAccessKey, made by coffer init: opens the routes for the operator over HTTP and, where remoteControl.active is true, every command from another machine: coffer nodes add keeps it there, in nodes.json or in the keychain. Shown by coffer config get auth.adminAccessKey --reveal, changed by coffer config set.'],
        ['tokens', 'Open an account, as far as their access says. Shown when an access is made and by coffer accesses show --reveal; ended by coffer accesses revoke, and those of logins by coffer sessions end.'],
        ['passwords', 'Kept as Argon2id hashes. A new one, without the old: coffer users set-password.'],
        ['the second factor', 'coffer mfa enable; its recovery codes are shown once. Taken away by coffer mfa reset.'],
        ['third parties', 'By whom people sign in without a password: the setting sso.providers holds the secret that each gives the node. Who is linked: coffer sso list; ended by coffer sso unlink.'],
        ['passphrases of backups', 'Nobody can open a sealed backup without its passphrase; it is kept nowhere. --passphrase-file names a file that holds it.'],
        ['keys of pairing', 'A link of coffer sync pair is good for one node and a few minutes; the nodes know each other by key pairs of their own from then on.'],
      ],
    },
    { text: 'Secrets are never arguments, which others on the machine can see: commands ask for them, or read stdin or a file of mode 0600.' },
  ],
}

const spec: Topic = {
  name: 'spec',
  summary: 'the interface that the node serves, and what of it is not served',
  blocks: async () => {
    const { groupTerms, overview, unservedTerms } = await import('./api/entries.js')
    return [
      ...overview,
      { heading: 'Methods' },
      { text: 'Each is explained by coffer help <method>, and in the manual page of its group.' },
      { terms: groupTerms() },
      { heading: 'Methods that are not served' },
      { terms: unservedTerms() },
    ]
  },
}

const syncTopic: Topic = {
  name: 'sync',
  summary: 'several nodes with the same account: pairing, states, what is kept alike',
  blocks: async () => (await import('./syncTopic.js')).syncBlocks(),
}

export const topics: readonly Topic[] = [
  settingsTopic,
  environment,
  files,
  formatting,
  exits,
  syncTopic,
  failureTopic,
  methodTopic,
  keys,
  spec,
]

/** Every failure with its message and exit code, by id. */
export function failureTerms(): Array<readonly [string, string]> {
  return Object.entries(exitByFailure).map(([id, exit]) => {
    const message = Object.entries(failures).find(([each]) => each === id)?.[1] ?? ''
    return [id, `${message} Exit ${exit}.`]
  })
}
