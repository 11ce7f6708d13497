/** Formats JSON by Handlebars templates. Loaded only for `--template`. */
import Handlebars from 'handlebars'
import { errorMessage } from '../../../../store/model/errorMessage.js'
import { systemClock } from '../../../../server/base/clock.js'
import { CommandError, usageError } from '../../../framework/exit.js'
import { ago } from '../format.js'
import { columnsOf, cut, printable } from '../text.js'
import { timeInLine } from '../timestamps.js'
import type { OutputFilter } from './outputFilter.js'
import { templateHelperNames } from './templateHelpers.js'

/**
 * Creates a filter from a template. `\n` and `\t` in it stand for a line break and a tab; a line break is added at the end.
 * @throws CommandError 2 for a syntax error or an unknown helper, with its position
 */
export function templateFilter(template: string): OutputFilter {
  const handlebars = Handlebars.create()
  let isForTerminal = false
  handlebars.registerHelper({
    ago: (time: unknown) => (typeof time === 'number' ? ago(time, systemClock.now()) : ''),
    time: (time: unknown) => (typeof time === 'number' ? timeInLine(time, isForTerminal) : ''),
    pad: (value: unknown, width: unknown) => padded('pad', value, width, (text, space) => text + space),
    padLeft: (value: unknown, width: unknown) => padded('padLeft', value, width, (text, space) => space + text),
    json: (value: unknown) => JSON.stringify(value),
    join: (list: unknown, separator: unknown) => (Array.isArray(list) ? list.map(plainText).join(typeof separator === 'string' ? separator : ', ') : plainText(list)),
  })
  const source = template.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
  const options = { noEscape: true, knownHelpers: Object.fromEntries(templateHelperNames.map((name) => [name, true])), knownHelpersOnly: true }
  try {
    handlebars.precompile(source, options)
  } catch (error) {
    throw syntaxError(errorMessage(error))
  }
  const render = handlebars.compile(source, options)
  return {
    apply: (json, _, isTerminal) => {
      isForTerminal = isTerminal
      try {
        const text = render(JSON.parse(json), { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false })
        const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`
        return { text: isTerminal ? printable(whole) : whole }
      } catch (error) {
        const failure = new CommandError(`--template failed on the result: ${errorMessage(error)}`, {
          exit: 2,
          hint: 'The command itself was carried out. Its whole result: --json',
        })
        return { text: '', failure }
      }
    },
  }
}

const plainText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean)

function padded(helper: string, value: unknown, width: unknown, joined: (text: string, space: string) => string): string {
  if (typeof width !== 'number' || !(width >= 1 && width <= 1000)) throw new Error(`{{${helper}}} takes a value and a number of columns`)
  const text = cut(plainText(value), width)
  return joined(text, ' '.repeat(Math.max(0, width - columnsOf(text))))
}

/** Creates the error from a message of the parser or compiler: `Parse error on line 1:`, the text, a mark; or `… - 1:0`. */
function syntaxError(message: string): CommandError {
  const [first = '', ...lines] = message.split('\n')
  const parsed = /^Parse error on line (\d+):$/.exec(first)
  const hint = 'See: coffer help formatting'
  if (parsed !== null) {
    const got = /got '(\w+)'/.exec(lines.at(-1) ?? '')?.[1]
    const why = got === 'EOF' ? 'unexpected end' : 'syntax error'
    return usageError([`--template: ${why}, at line ${parsed[1] ?? ''}`, ...lines.slice(0, 2)].join('\n'), hint)
  }
  const place = /^(.*) - (\d+):(\d+)$/.exec(first)
  if (place === null) return usageError(`--template: ${first}`, hint)
  const [, what = '', line = '', column = ''] = place
  const helper = /unknown helper (\S+)$/.exec(what)?.[1]
  const why = helper === undefined ? what : `there is no helper ${helper}; there are ${templateHelperNames.join(', ')}`
  return usageError(`--template: ${why}, at line ${line}, column ${Number(column) + 1}`, hint)
}
