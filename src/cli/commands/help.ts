import { nearest } from '../../server/base/didYouMean.js'
import { command } from '../command.js'
import { allCommands } from '../commands.js'
import { usageError } from '../framework/exit.js'
import type { Block } from '../help/blocks.js'
import { helpFor, helpText } from '../help/help.js'
import { topics } from '../help/topics.js'
import { list } from '../framework/option.js'

/** `coffer help [topic, command or method]`. */
export const help = command({
  path: ['help'],
  summary: 'Show help on a topic, a command, a group of commands or an API method',
  description: `Topics: ${topics.map((each) => each.name).join(', ')}.`,
  arguments: { words: list('Topic, the words of a command, or the id of a method') },
  examples: [
    { type: 'coffer help settings', description: 'all settings' },
    { type: 'coffer help config set', description: 'one command' },
    { type: 'coffer help events.get', description: 'one API method' },
  ],
  reach: 'none',
  offline: true,
  async run({ terminal, paths }, { words }) {
    const topic = topics.find((each) => words.length === 1 && each.name === words[0])
    if (topic !== undefined) {
      return terminal.write(helpText(await topic.blocks(), terminal.width, terminal.paintOut))
    }
    const method = await methodNamed(words)
    if (method !== undefined) return terminal.write(helpText(method, terminal.width, terminal.paintOut))
    const all = await allCommands()
    const requested = words.join(' ')
    if (requested !== '' && !all.some((each) => `${each.path.join(' ')} `.startsWith(`${requested} `))) {
      const { servedMethods } = await import('../help/api/entries.js')
      const { describedOperatorMethods } = await import('../help/api/operatorEntries.js')
      const methods = [...servedMethods, ...describedOperatorMethods].map(({ id }) => id)
      const known = [...topics.map((each) => each.name), ...all.map((each) => each.path.join(' ')), ...methods]
      const near = nearest(requested, known)
      throw usageError(
        `Unknown topic, command or method: ${requested}`,
        near === undefined ? 'List topics and commands: coffer help' : `Did you mean: coffer help ${near}`,
      )
    }
    return terminal.write(await helpFor(words, terminal, paths))
  },
})

/** Returns the entry of the requested API or operator method: `events.get`, or `api events.get`. */
async function methodNamed(words: readonly string[]): Promise<Block[] | undefined> {
  const [id = '', ...more] = words[0] === 'api' ? words.slice(1) : words
  // Command words contain no dots; checking this avoids loading the list of methods, which takes a while.
  if (more.length > 0 || !/\.|^(callBatch|getAccessInfo|openapi)$/.test(id)) return undefined
  return (await import('../help/api/entries.js')).methodEntry(id) ?? (await import('../help/api/operatorEntries.js')).operatorEntry(id)
}
