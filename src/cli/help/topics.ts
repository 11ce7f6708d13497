/** Help topics: what belongs to no single command. `coffer help <topic>`, and parts of the manual pages. */
import { exitByFailure, exitCodes } from '../exit.js'
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
          'describes all at /openapi.json.',
      },
      { terms: [...new Map(terms)] },
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
]

/** Every failure with its message and exit code, by id. */
export function failureTerms(): Array<readonly [string, string]> {
  return Object.entries(exitByFailure).map(([id, exit]) => {
    const message = Object.entries(failures).find(([each]) => each === id)?.[1] ?? ''
    return [id, `${message} Exit ${exit}.`]
  })
}
