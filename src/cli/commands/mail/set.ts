import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { readInput } from '../../terminal/input/text.js'
import { inputFile } from '../../framework/option.js'
import { langOption, partOption, typeArgument } from './templateOptions.js'

/** `coffer mail set`. */
export const set = command({
  path: ['mail', 'set'],
  summary: 'Set the source of a template',
  description:
    'Reads Pug from a file, or from stdin with -. A source that does not compile or does not render with sample values is rejected, and nothing changes. Names such as USERNAME are placeholders (coffer mail preview shows them filled in); SERVICE_NAME is the setting service.name. Text is escaped except with != or !{}.\n\nTemplates cannot use files: include, extends and filters are rejected. The next mail uses the new template.',
  arguments: { type: typeArgument, file: inputFile('File with the source', { required: true }) },
  options: { lang: langOption, part: partOption },
  examples: [
    { type: 'coffer mail set welcome-email welcome.pug --lang fr --part html', description: 'set the page of the French mail' },
    { type: `echo '| Welcome, #{USERNAME}' | coffer mail set welcome-email - --part subject`, description: 'set a subject from stdin' },
  ],
  json: '{"type","lang","part","length"}',
  offline: true,
  async run({ out, connect, terminal, commandFor }, { type, file, lang = 'en', part }) {
    if (part === undefined) throw usageError('--part is required', 'Choose the part of the template: --part subject or --part html')
    const pug = await readInput(terminal, file, 'the source')
    if (pug.trim() === '') throw usageError(`${file === '-' ? 'stdin' : file} is empty`, `Remove the part with: ${commandFor('api', 'system.removeMailTemplate', JSON.stringify({ type, lang, part }))}`)
    const client = await connect()
    await client.call('system.setMailTemplate', { type, lang, part, pug }, {})
    await out.result(
      { type, lang, part, length: pug.length },
      {
        id: `${type}/${lang}/${part}`,
        print: () => {
          out.done(`${part === 'subject' ? 'Subject' : 'Page'} of ${type} in ${lang} saved`)
          out.note(`Preview it: ${commandFor('mail', 'preview', type, '--lang', lang)}`)
        },
      },
    )
  },
})
