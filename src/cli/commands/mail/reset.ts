import { command } from '../../command.js'
import { confirm } from '../../terminal/input/confirm.js'
import { listOf, textOf } from '../../client/answer.js'
import { flag, text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { partOption, typeArgument } from './templateOptions.js'

/** `coffer mail reset`. */
export const reset = command({
  path: ['mail', 'reset'],
  summary: 'Bring the built-in text of a template back',
  description:
    'What was written in its place is gone. Without --lang, all languages that coffer brings are reset; other languages stay.',
  arguments: { type: typeArgument },
  options: {
    lang: text('Code of the language; without it, all', { placeholder: 'code', suggests: ['en', 'fr', 'de'] }),
    part: partOption,
    yes: flag('Do not ask'),
  },
  examples: [
    { type: 'coffer mail reset welcome-email --lang fr', says: 'asks first' },
    { type: 'coffer mail reset welcome-email --yes', says: 'every language, for scripts' },
  ],
  json: '{"templates":[{"type","lang","part","length"}]}, those that are the built-in ones again',
  offline: true,
  async run({ out, connect, terminal }, { type, lang, part, yes }) {
    const client = await connect()
    const which = [type, ...(lang === undefined ? [] : [`in ${lang}`])].join(' ')
    await confirm(terminal, `Replace ${part === undefined ? '' : `the ${part} of `}${which} by the built-in text?`, yes)
    const answer = await client.call('mail.reset', { type, lang, part }, {})
    const restored = listOf(answer['templates'])
    await out.result(answer, {
      id: restored.map((each) => `${type}/${textOf(each['lang'])}/${textOf(each['part'])}`).join('\n'),
      print: () => out.done(`${which}: ${counted(restored.length, 'part')} as built in`),
    })
  },
})
