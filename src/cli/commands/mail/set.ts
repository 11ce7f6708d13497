import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { readInput } from '../../terminal/input/text.js'
import { text } from '../../framework/option.js'
import { langOption, partOption, typeArgument } from './templateOptions.js'

/** `coffer mail set`. */
export const set = command({
  path: ['mail', 'set'],
  summary: 'Write the source of a template',
  description:
    'Takes Pug from a file, or from stdin as -. A source that does not compile, or does not render with sample values, is refused and nothing changes. Names such as USERNAME stand for what the mail is about (coffer mail preview shows them filled in), SERVICE_NAME for the setting service.name. Text is escaped unless != or !{} say otherwise.\n\nTemplates have no files: include, extends and filters are refused. The next mail uses what is written here.',
  arguments: { type: typeArgument, file: text('A file with the source, or - for stdin', { required: true, completes: 'file' }) },
  options: { lang: langOption, part: partOption },
  examples: [
    { type: 'coffer mail set welcome-email welcome.pug --lang fr --part html', says: 'the page of the French mail' },
    { type: `echo '| Welcome, #{USERNAME}' | coffer mail set welcome-email - --part subject`, says: 'a subject, from stdin' },
  ],
  json: '{"type","lang","part","length"}',
  offline: true,
  async run({ out, connect, terminal, commandFor }, { type, file, lang = 'en', part }) {
    if (part === undefined) throw usageError('--part is missing', 'Say which part the source is: --part subject or --part html')
    const pug = file === '-' ? await terminal.readAll() : await readInput(file)
    if (pug.trim() === '') throw usageError(`${file === '-' ? 'stdin' : file} is empty`, `Take the part away with: ${commandFor('api', 'system.removeMailTemplate', JSON.stringify({ type, lang, part }))}`)
    const client = await connect()
    await client.call('system.setMailTemplate', { type, lang, part, pug }, {})
    await out.result(
      { type, lang, part, length: pug.length },
      {
        id: `${type}/${lang}/${part}`,
        print: () => {
          out.done(`${part === 'subject' ? 'Subject' : 'Page'} of ${type} in ${lang} written`)
          out.note(`See it: ${commandFor('mail', 'preview', type, '--lang', lang)}`)
        },
      },
    )
  },
})
