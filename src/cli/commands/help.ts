import { nearest } from '../../server/nearest.js'
import { command } from '../command.js'
import { allCommands } from '../commands.js'
import { usageError } from '../exit.js'
import { helpFor, helpText } from '../help/help.js'
import { topics } from '../help/topics.js'
import { list } from '../option.js'

/** `coffer help [topic or command]`. */
export const help = command({
  path: ['help'],
  summary: 'Explain a topic, a command or a group of commands',
  description: `Topics: ${topics.map((each) => each.name).join(', ')}.`,
  arguments: { words: list('A topic or the words of a command') },
  examples: [
    { type: 'coffer help settings', says: 'every setting' },
    { type: 'coffer help config set', says: 'one command' },
  ],
  offline: true,
  async run({ terminal, paths }, { words }) {
    const topic = topics.find((each) => words.length === 1 && each.name === words[0])
    if (topic !== undefined) {
      return terminal.write(helpText(await topic.blocks(), terminal.width, terminal.paintOut))
    }
    const all = await allCommands()
    const asked = words.join(' ')
    if (asked !== '' && !all.some((each) => `${each.path.join(' ')} `.startsWith(`${asked} `))) {
      const known = [...topics.map((each) => each.name), ...all.map((each) => each.path.join(' '))]
      const near = nearest(asked, known)
      throw usageError(
        `There is no topic or command ${asked}`,
        near === undefined ? 'See what there is: coffer help' : `Did you mean: coffer help ${near}`,
      )
    }
    return terminal.write(await helpFor(words, terminal, paths))
  },
})
