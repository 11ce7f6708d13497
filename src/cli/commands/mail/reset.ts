import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { confirm, yesOption } from '../../terminal/input/confirm.js'
import { text } from '../../framework/option.js'
import { counted } from '../../terminal/output/format.js'
import { partOption, typeArgument } from './templateOptions.js'

/** `coffer mail reset`. */
export const reset = command({
  path: ['mail', 'reset'],
  summary: 'Restore the built-in text of a template',
  description:
    'Discards your own text. Without --lang, resets all languages that coffer includes; other languages stay.',
  arguments: { type: typeArgument },
  options: {
    lang: text('Language code; defaults to all', { placeholder: 'code', suggests: ['en', 'fr', 'de'] }),
    part: partOption,
    yes: yesOption(),
  },
  examples: [
    { type: 'coffer mail reset welcome-email --lang fr', description: 'ask for confirmation' },
    { type: 'coffer mail reset welcome-email --yes', description: 'every language, for scripts' },
  ],
  json: '{"templates":[{"type","lang","part","length"}]}, the parts that were reset',
  offline: true,
  async run({ out, connect, terminal }, { type, lang, part, yes }) {
    const client = await connect()
    const which = [type, ...(lang === undefined ? [] : [`in ${lang}`])].join(' ')
    // A template without a built-in text is reported before the prompt.
    const { templates } = await client.call('system.mailTemplates', {}, {})
    if (!templates.some((each) => each.type === type)) throw new CommandError(`There is no mail template ${JSON.stringify(type)}.`, { exit: 5, hint: ['List the templates', 'mail', 'templates'] })
    await confirm(terminal, `Replace ${part === undefined ? '' : `the ${part} of `}${which} with the built-in text?`, yes)
    const answer = await client.call('mail.reset', { type, lang, part }, {})
    const restored = answer.templates
    await out.result(answer, {
      id: restored.map((each) => `${type}/${each.lang}/${each.part}`).join('\n'),
      print: () => out.done(`${which}: ${counted(restored.length, 'part')} reset`),
    })
  },
})
