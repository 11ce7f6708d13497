/** Texts of an offer from options and files, by language. */
import { usageError } from '../../../framework/exit.js'
import { readInput } from '../../../terminal/input/text.js'
import { list } from '../../../framework/option.js'
import type { Terminal } from '../../../terminal/terminal.js'
import type { Texts } from './request.js'
import { wordsByLanguage, wordsOption } from './words.js'

type Part = 'title' | 'description' | 'consent'

const PARTS: readonly Part[] = ['title', 'description', 'consent']

export const textOptions = {
  texts: list('All three texts in a language, from a file, or - for stdin: see above', { placeholder: 'code=file', completes: 'file', stdin: 'dash' }),
  title: wordsOption('Title'),
  description: wordsOption('Description'),
  consent: wordsOption('Text that people agree to'),
}

/** Description of the file of `--texts`, for help. */
export const TEXT_FILE =
  'A file of --texts is plain text: the first line is the title, the next paragraph is the description, the rest is what people agree to.'

/**
 * Reads the three texts by language.
 * @throws CommandError 2 for a text that is missing, empty or given twice; 5 for an unreadable file
 */
export async function textsOf(terminal: Terminal, given: Readonly<Record<Part | 'texts', readonly string[]>>): Promise<Record<Part, Texts>> {
  const files: Record<Part, string[]> = { title: [], description: [], consent: [] }
  for (const word of given.texts) {
    const [, language, file] = /^([a-z]{2,3})=(.+)$/s.exec(word) ?? []
    if (language === undefined || file === undefined) {
      throw usageError(`--texts takes a language and a file, such as en=offer.txt, not ${JSON.stringify(word)}`)
    }
    const parts = partsOf(await readInput(terminal, file, 'the texts'))
    if (parts === undefined) throw usageError(`${file} does not have all three texts`, TEXT_FILE)
    PARTS.forEach((part, at) => files[part].push(`${language}=${parts[at] ?? ''}`))
  }
  const found = (part: Part): Texts => {
    const words = wordsByLanguage([...files[part], ...given[part]], `--${part}`)
    if (words === undefined) throw usageError(`--${part} <text> is missing, or --texts <code>=<file> with all three texts`, 'For example: --texts en=offer.txt')
    return words
  }
  return { title: found('title'), description: found('description'), consent: found('consent') }
}

/** Splits a file into title, description and consent; undefined when one is missing. */
function partsOf(file: string): [string, string, string] | undefined {
  const text = file.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n').trim()
  const [, title, rest = ''] = /^(?:#+ *)?([^\n]+)\n+([^]*)$/.exec(text) ?? []
  const [, description, consent] = /^([^]*?)\n[ \t]*\n\s*([^]+)$/.exec(rest) ?? []
  return title === undefined || description === undefined || consent === undefined ? undefined : [title.trim(), description.trim(), consent.trim()]
}
