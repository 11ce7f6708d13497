import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { flag, list, text } from '../../framework/option.js'
import { wholeFile } from '../../terminal/output/file.js'
import { langOption, typeArgument } from './templateOptions.js'

/** `coffer mail preview`. */
export const preview = command({
  path: ['mail', 'preview'],
  summary: 'Preview a mail with sample values',
  description:
    'Prints the subject and the text; with --html the HTML page, with --output the page into a file for a browser. Nothing is sent.',
  arguments: { type: typeArgument },
  options: {
    lang: langOption,
    value: list('Value for a placeholder, instead of the sample', { placeholder: 'NAME=text' }),
    html: flag('Print the HTML page instead of the text'),
    output: text('File to write the HTML page to', { placeholder: 'file', completes: 'file' }),
  },
  examples: [
    { type: 'coffer mail preview welcome-email --lang fr', description: 'the French mail as text' },
    { type: 'coffer mail preview mfa-change --value MFA_CHANGE=recovered', description: 'a different case' },
    { type: 'coffer mail preview welcome-email --output welcome.html', description: 'open it in a browser' },
  ],
  json: '{"lang","subject","html","text"}; lang is the language of the template that was used',
  offline: true,
  async run({ out, connect }, { type, lang, value, html, output }) {
    const values = valuesOf(value)
    const client = await connect()
    const answer = await client.call('mail.preview', { type, lang, values }, {})
    const page = answer.html
    if (output !== undefined) {
      const file = await wholeFile(output)
      try {
        await file.write(page)
        await file.done()
      } finally {
        await file.drop()
      }
    }
    await out.result(answer, {
      id: answer.subject,
      print: async () => {
        const found = answer.lang
        if (lang !== undefined && found !== lang) out.note(`No template in ${lang}; showing ${found}.`)
        if (output !== undefined) return out.done(`Page of ${type} in ${found} written to ${output}`)
        if (html) return out.data(`${page}\n`)
        await out.line(`Subject: ${answer.subject}`)
        await out.line('')
        await out.line(answer.text)
      },
    })
  },
})

function valuesOf(pairs: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {}
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw usageError(`--value takes NAME=text, not ${JSON.stringify(pair)}`)
    values[pair.slice(0, equals)] = pair.slice(equals + 1)
  }
  return values
}
