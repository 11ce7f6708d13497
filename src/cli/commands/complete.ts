import { command } from '../command.js'
import { choice, list } from '../framework/option.js'
import { completionNames, NAME_KINDS } from '../help/completion/completionNames.js'

/** `coffer __complete <kind> -- <words>`, called by completion scripts; it fails silently. Usually answered by main.ts. */
export const complete = command({
  path: ['__complete'],
  summary: 'Print the names known to a node, for shell completion',
  arguments: {
    kind: choice(NAME_KINDS, 'Kind of names', { required: true }),
    typed: list('Words typed before the word to complete'),
  },
  hidden: true,
  reach: 'none',
  offline: true,
  async run({ env, flags, terminal }, { kind, typed }) {
    const candidates = await completionNames({ env, flags }, kind, typed)
    if (candidates.length > 0) await terminal.write(`${candidates.join('\n')}\n`)
  },
})
