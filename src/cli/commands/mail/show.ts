import { Failure } from '../../../store/model/failure.js'
import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import type { NodeClient } from '../../client/nodeClient.js'
import { langOption, partOption, parts, typeArgument } from './templateOptions.js'

/** `coffer mail show`. */
export const show = command({
  path: ['mail', 'show'],
  summary: 'Show the source of a template',
  description:
    'The source is Pug: https://pugjs.org. With --part, only that source goes to stdout, so that you can save it to a file, edit it, and pass it to coffer mail set.',
  arguments: { type: typeArgument },
  options: { lang: langOption, part: partOption },
  examples: [
    { type: 'coffer mail show welcome-email', description: 'subject and page in English' },
    { type: 'coffer mail show welcome-email --lang fr --part html > welcome.pug', description: 'save the page to a file' },
  ],
  json: '{"type","lang","subject","html"}, or only the requested part; null if there is none',
  offline: true,
  async run({ out, connect, commandFor }, { type, lang = 'en', part }) {
    const client = await connect()
    const sources: Record<string, string | null> = {}
    for (const each of part === undefined ? parts : [part]) sources[each] = await sourceOf(client, type, lang, each)
    if (Object.values(sources).every((source) => source === null)) {
      throw new CommandError(`No mail template ${type} in the language ${lang}.`, {
        exit: 5,
        hint: `List templates: ${commandFor('mail', 'templates')}`,
      })
    }
    await out.result(
      { type, lang, ...sources },
      {
        id: `${type}/${lang}`,
        print: async () => {
          for (const [name, source] of Object.entries(sources)) {
            if (part === undefined) out.note(`${name === 'subject' ? 'Subject' : 'Page'} of ${type} in ${lang}:`)
            if (source === null) out.warn(`Missing; the template is not used without this part.`)
            else await out.data(source.endsWith('\n') ? source : `${source}\n`)
          }
        },
      },
    )
  },
})

async function sourceOf(client: NodeClient, type: string, lang: string, part: string): Promise<string | null> {
  try {
    return (await client.call('system.mailTemplate', { type, lang, part }, {})).text
  } catch (error) {
    if (error instanceof Failure && error.id === 'unknown-resource') return null
    throw error
  }
}
