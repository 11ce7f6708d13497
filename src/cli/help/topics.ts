/** Help topics that belong to no single command, for `coffer help <topic>` and parts of the man pages. */
import { exitByFailure, exitCodes } from '../framework/exit.js'
import { failures } from '../../store/model/failure.js'
import { templateHelpers } from '../terminal/output/filters/templateHelpers.js'
import type { Block } from './blocks.js'

interface Topic {
  name: string
  /** One line, lower case, no full stop. */
  summary: string
  /** Loaded on demand: other help does not need the table of settings. */
  blocks(): Promise<Block[]>
}

export const environmentTerms: ReadonlyArray<readonly [string, string]> = [
  ['COFFER_HOME', 'Folder of the node, if --home is not given.'],
  ['COFFER_USER', 'Account of commands without --user; takes precedence over coffer users use.'],
  [
    'COFFER_SET_<NAME>',
    'A setting: its name in capitals, with underscores for dots and between words. ' +
      'auth.adminAccessKey is COFFER_SET_AUTH_ADMIN_ACCESS_KEY.',
  ],
  [
    'XDG_DATA_HOME',
    'The default folder is $XDG_DATA_HOME/coffer, if neither --home nor COFFER_HOME is given; ' +
      '~/.local/share/coffer if XDG_DATA_HOME is not set.',
  ],
  ['XDG_CONFIG_HOME', 'Remote nodes are stored in $XDG_CONFIG_HOME/coffer/nodes.json, mode 0600; defaults to ~/.config.'],
  [
    'XDG_CACHE_HOME',
    'With Node.js 22 or later, the compiled program is stored in $XDG_CACHE_HOME/coffer; defaults to ~/.cache. ' +
      'NODE_DISABLE_COMPILE_CACHE=1 switches this off.',
  ],
  ['XDG_RUNTIME_DIR', 'Folder for the admin socket of a node whose path is too long.'],
  ['NO_COLOR, FORCE_COLOR, TERM=dumb', 'No colours; colours even in a pipe; no colours. --no-color overrides all of them.'],
]

export const fileTerms: ReadonlyArray<readonly [string, string]> = [
  ['config.toml', 'The settings. Contains secrets, so only its owner can read it.'],
  ['store/', 'The database.'],
  ['files/', 'Attached files, named by the SHA-256 of their content.'],
  ['node.key', 'The key that encrypts secrets in the store.'],
  ['default-account', 'Default account of commands, set by coffer users use.'],
  ['node.sock', 'Admin socket of a running node.'],
  ['node.log', 'Log of the node, one JSON object per line; node.log.1 is the previous one. For the default home in $XDG_STATE_HOME/coffer.'],
]

const environment: Topic = {
  name: 'environment',
  summary: 'environment variables of coffer',
  blocks: async () => [
    { heading: 'Environment' },
    {
      text:
        'Flags override variables, variables override config.toml, and config.toml overrides the default. ' +
        '"coffer config list --origin" shows the origin of every value.',
    },
    { terms: environmentTerms },
  ],
}

const exits: Topic = {
  name: 'exit-codes',
  summary: 'exit codes of commands',
  blocks: async () => [
    { heading: 'Exit codes' },
    { terms: exitCodes.map(({ code, meaning }) => [String(code), meaning] as const) },
    { text: 'Treat any other code as a failure. coffer status exits with 7 if no node is running.' },
  ],
}

/** Forms of output, for the topic and the man page. */
export const outputTerms: ReadonlyArray<readonly [string, string]> = [
  ['on a terminal', 'Lists are aligned tables with a header.'],
  ['in a pipe', 'Lists are tab-separated lines, without a header, nothing cut off.'],
  ['times', 'Recent ones are relative on a terminal (3 min ago), older ones local. In a pipe: ISO 8601 with offset. In JSON: numbers, in seconds unless the help of the command says otherwise.'],
  ['-q, --quiet', 'Ids only, one per line.'],
  ['--json', 'One JSON document, or one object per line for continuous output. Names are those of the API.'],
  [
    'progress',
    'Commands that print one line per event (import, export of an account, backup, restore) also report progress every ' +
      'second: {"event":"progress","phase","done","total"}, in bytes or items depending on the phase; total if known. The last line is ' +
      '{"event":"done",…}.',
  ],
  ['failures', 'With --json: {"error":{"id","message","data"}} on stderr, in addition to the exit code.'],
]

/** Options that print a part of the JSON, for the topic and the man page. */
export const filterBlocks: readonly Block[] = [
  { text: 'One of these options prints a part of the JSON; --json is not needed. An error in an expression exits with 2, before the command does anything. Commands with one line per event filter each line.' },
  {
    terms: [
      ['--jq <expression>', 'The values that a jq expression selects, one per line: strings without quotes, others as compact JSON. jq is part of coffer.'],
      ['--template <text>', `A Handlebars template over the whole document. \\n and \\t stand for a line break and a tab. Helpers: ${templateHelpers.map(([use, meaning]) => `${use} (${meaning})`).join('; ')}.`],
      ['--fields a,b', 'JSON with these members only, of each item of a list or of an object. An unknown name exits with 2, and lists the known ones.'],
    ],
  },
  {
    code: [
      'coffer config list --jq \'.settings[] | select(.origin != "default").key\'',
      "coffer users list --template '{{#each users}}{{pad username 20}} {{ago lastUsed}}\\n{{/each}}'",
      'coffer users list --fields username,email',
    ],
  },
]

const formatting: Topic = {
  name: 'formatting',
  summary: 'output formats, for people and for scripts',
  blocks: async () => [
    { heading: 'Formatting' },
    { text: 'Results go to stdout; everything else (counts, hints, progress, failures) to stderr.' },
    { terms: outputTerms },
    { heading: 'Filters' },
    ...filterBlocks,
  ],
}

const files: Topic = {
  name: 'files',
  summary: 'files in the folder of a node',
  blocks: async () => [
    { heading: 'Files' },
    { text: 'A node stores everything in one folder; "coffer config path" prints it.' },
    { terms: fileTerms },
  ],
}

const settingsTopic: Topic = {
  name: 'settings',
  summary: 'all settings, with their defaults',
  blocks: async () => {
    const { settingTerms } = await import('./settingTerms.js')
    return [
      { heading: 'Settings' },
      { text: 'View and change them with "coffer config"; changes apply when the node starts.' },
      { terms: settingTerms() },
    ]
  },
}

const failureTopic: Topic = {
  name: 'failures',
  summary: 'all errors of the API, with their exit codes',
  blocks: async () => [
    { heading: 'Failures' },
    { text: 'Compare ids in scripts; messages may change.' },
    { terms: failureTerms() },
  ],
}

const methodTopic: Topic = {
  name: 'methods',
  summary: 'all methods for coffer api',
  blocks: async () => {
    const { servedMethods } = await import('./api/entries.js')
    const terms = servedMethods.map((each) => [each.id, each.summary] as const)
    return [
      { heading: 'Methods' },
      {
        text:
          'For the parameters, result and errors of a method: coffer help <method>, or the man pages listed in coffer-api(7). A running node ' +
          'describes all methods at /web/api, and as OpenAPI at /openapi.json.',
      },
      { terms: [...new Map(terms)] },
    ]
  },
}

const keys: Topic = {
  name: 'keys',
  summary: 'keys, tokens and passphrases: their purpose and storage',
  blocks: async () => [
    { heading: 'Keys' },
    {
      terms: [
        ['the key of the node', 'Encrypts tokens and other secrets in the store. Stored in node.key, mode 0600; protected by a passphrase; or in the keychain of the system: coffer store rekey. Without it the secrets cannot be read; a backup contains it.'],
        ['the keychain', 'On Linux a program of the desktop session that stores secrets, such as gnome-keyring or KWallet; unlocked when the user logs in. A node with its key there only starts in such a session, not as a system service. Entries are named coffer: node-… for a node, as in node.key; operator key of … for a remote node.'],
        ['the operator key', 'The setting auth.adminAccessKey, created by coffer init: authorizes the operator routes over HTTP and, if remoteControl.active is true, all commands from other machines: coffer nodes add stores it there, in nodes.json or in the keychain. Shown by coffer config get auth.adminAccessKey --reveal, changed by coffer config set.'],
        ['tokens', 'Grant the permissions of an access. Shown when an access is created and by coffer accesses show --reveal; revoked by coffer accesses revoke, and login tokens by coffer sessions end.'],
        ['passwords', 'Stored as Argon2id hashes. Set a new one without the old one: coffer users set-password.'],
        ['the second factor', 'coffer mfa enable; its recovery codes are shown once. Removed by coffer mfa reset.'],
        ['identity providers', 'Let people log in without a password: the setting sso.providers contains the client secret of each provider. List links with coffer sso list, remove them with coffer sso unlink.'],
        ['passphrases of backups', 'A sealed backup cannot be opened without its passphrase, which is not stored. --passphrase-file reads it from a file.'],
        ['keys of pairing', 'A link of coffer sync pair is valid for one node and a few minutes; afterwards the nodes authenticate with their own key pairs.'],
      ],
    },
    { text: 'Secrets are never arguments, because other users of the machine can see those: commands prompt for them, or read stdin or a file of mode 0600.' },
  ],
}

const spec: Topic = {
  name: 'spec',
  summary: 'the API of the node, and its unsupported parts',
  blocks: async () => {
    const [{ groupTerms, overview, unservedTerms }, { describedOperatorMethods }] = await Promise.all([import('./api/entries.js'), import('./api/operatorEntries.js')])
    return [
      ...overview,
      { heading: 'Methods' },
      { text: 'Each method is described by coffer help <method>, and in the man page of its group.' },
      { terms: groupTerms() },
      { heading: 'Operator methods' },
      { text: 'Only the command line calls them, such as coffer api node.status. Commands use them; their parameters and results can change with a release.' },
      { terms: describedOperatorMethods.map(({ id, summary }) => [id, summary]) },
      { heading: 'Unsupported methods' },
      { terms: unservedTerms() },
    ]
  },
}

const syncTopic: Topic = {
  name: 'sync',
  summary: 'several nodes with the same account: pairing, states, conflicts',
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

/** Returns every failure with its message and exit code, by id. */
export function failureTerms(): Array<readonly [string, string]> {
  return Object.entries(exitByFailure).map(([id, exit]) => {
    const message = Object.entries(failures).find(([each]) => each === id)?.[1] ?? ''
    return [id, `${message} Exit ${exit}.`]
  })
}
