/** Manual pages, written from the command values, the table of settings and the failure catalogue. */
import type { Command } from './command.js'
import { fullName } from './command.js'
import type { Block } from './help/blocks.js'
import { accountFormat } from './help/accountFormat.js'
import { argumentTerms, globalTerms, optionTerms, usageLine } from './help/help.js'
import { nouns } from './help/nouns.js'
import { settingTerms } from './help/settingTerms.js'
import { environmentTerms, failureTerms, fileTerms } from './help/topics.js'
import { exitCodes } from './exit.js'

export interface ManPage {
  /** `coffer-config.5`. */
  file: string
  roff: string
}

interface Page {
  name: string
  section: 1 | 5 | 7
  about: string
  blocks: Block[]
}

/** All pages of a release; the same commands give the same bytes. */
export function manPages(all: readonly Command[], version: string): ManPage[] {
  const shown = all.filter((each) => each.hidden !== true)
  const groups = [...new Set(shown.filter((each) => each.path.length > 1).map((each) => each.path[0] ?? ''))].sort()
  const own = groups.map((noun) => groupPage(noun, shown))
  const pages = [mainPage(shown, groups), ...own, settingsPage(), accountPage(), failuresPage()]
  return pages.map((page) => ({ file: `${page.name}.${page.section}`, roff: roffPage(page, version) }))
}

function mainPage(shown: readonly Command[], groups: readonly string[]): Page {
  return {
    name: 'coffer',
    section: 1,
    about: 'a home for your data, on your own machine',
    blocks: [
      { heading: 'Synopsis' },
      { code: ['coffer <command> [options]'] },
      { heading: 'Description' },
      {
        text:
          'Starts and administers a personal data node: it keeps streams and events on this machine, serves them to ' +
          'applications, and keeps several nodes of one owner in step.',
      },
      { heading: 'Commands' },
      ...shown.filter((each) => each.path.length === 1).flatMap(commandSection),
      ...section(
        'Groups of commands',
        groups.map((noun) => [fullName([noun]), `${nouns[noun] ?? ''}. See coffer-${noun}(1).`]),
      ),
      ...section('Options of every command', globalTerms()),
      ...section('Environment', environmentTerms),
      ...section('Files', fileTerms),
      ...section('Exit status', exitCodes.map(({ code, meaning }) => [String(code), meaning])),
      { heading: 'See also' },
      { text: [...groups.map((noun) => `coffer-${noun}(1)`), 'coffer-account(5)', 'coffer-config(5)', 'coffer-failures(7)'].join(', ') },
    ],
  }
}

function groupPage(noun: string, shown: readonly Command[]): Page {
  const within = shown.filter((each) => each.path.length > 1 && each.path[0] === noun)
  const about = nouns[noun] ?? ''
  return {
    name: `coffer-${noun}`,
    section: 1,
    about: `${about.charAt(0).toLowerCase()}${about.slice(1)}`,
    blocks: [
      { heading: 'Synopsis' },
      { code: within.map(usageLine) },
      { heading: 'Commands' },
      ...within.flatMap(commandSection),
      { heading: 'See also' },
      { text: 'coffer(1) for the options of every command and the exit codes, coffer-config(5), coffer-failures(7)' },
    ],
  }
}

function commandSection(command: Command): Block[] {
  const { path, summary, description, examples = [], json, offline } = command
  const terms = [...argumentTerms(command.arguments), ...optionTerms(command.options)]
  const words = (description ?? '').split(/\n\s*\n/).filter((each) => each !== '')
  return [
    { heading: fullName(path), sub: true },
    { text: `${summary}.${offline ? '' : ' Needs a running node.'}` },
    { code: [usageLine(command)] },
    ...words.map((text) => ({ text })),
    ...(terms.length === 0 ? [] : [{ terms }]),
    ...(json === undefined ? [] : [{ text: `With --json: ${json}` }]),
    ...examples.flatMap((each): Block[] => [{ text: `${capital(each.says)}:` }, { code: [each.type] }]),
  ]
}

const exampleFile = [
  '[http]',
  'port = 8080',
  'trustedProxies = ["loopback", "10.0.0.2"]',
  '',
  '[dnsLess]',
  'publicUrl = "https://ana.example.org/"',
]

function settingsPage(): Page {
  return {
    name: 'coffer-config',
    section: 5,
    about: 'the settings of a coffer node',
    blocks: [
      { heading: 'Description' },
      {
        text:
          'A node reads config.toml in its folder when it starts. Dots in the names below part tables: http.port ' +
          'stands as port in the table [http]. A flag wins over a variable, a variable over the file, and the file ' +
          'over the default. A key that is no setting is an error, which names the nearest one.',
      },
      { heading: 'Settings' },
      { terms: settingTerms() },
      { heading: 'Example' },
      { code: exampleFile },
      { heading: 'See also' },
      { text: 'coffer-config(1), coffer(1)' },
    ],
  }
}

function accountPage(): Page {
  return {
    name: 'coffer-account',
    section: 5,
    about: 'an account in a folder, as coffer users export writes it',
    blocks: [...accountFormat, { heading: 'See also' }, { text: 'coffer-users(1), coffer-backup(1), coffer(1)' }],
  }
}

function failuresPage(): Page {
  return {
    name: 'coffer-failures',
    section: 7,
    about: 'every way a call to a coffer node can be refused',
    blocks: [
      { heading: 'Description' },
      {
        text:
          'A refused call answers an error with an id, a message and, for some, data. The API and coffer with --json ' +
          'give the same object. Scripts compare the id; messages may be worded better one day. The exit code is ' +
          'that of the command that made the call.',
      },
      { heading: 'Failures' },
      { terms: failureTerms() },
      { heading: 'See also' },
      { text: 'coffer(1)' },
    ],
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function section(heading: string, terms: ReadonlyArray<readonly [string, string]>): Block[] {
  return terms.length === 0 ? [] : [{ heading }, { terms }]
}

function roffPage({ name, section: number, about, blocks }: Page, version: string): string {
  const head = [
    '.\\" Written by "coffer man" from the command values; do not edit.',
    `.TH ${quoted(name.toUpperCase())} ${number} "" ${quoted(`coffer ${version}`)} "coffer manual"`,
    // Long names and forms do not fill lines evenly.
    '.ad l',
    '.SH NAME',
    `${literal(name)} \\- ${prose(about)}`,
  ]
  return `${[...head, ...blocks.flatMap(roffBlock)].join('\n')}\n`
}

function roffBlock(block: Block): string[] {
  if ('heading' in block) {
    return [block.sub === true ? `.SS ${quoted(block.heading)}` : `.SH ${quoted(block.heading.toUpperCase())}`]
  }
  if ('text' in block) return ['.PP', prose(block.text)]
  if ('code' in block) {
    return ['.PP', '.RS 4', '.EX', ...block.code.map((line) => atLineStart(literal(line))), '.EE', '.RE']
  }
  return block.terms.flatMap(([term, meaning]) => ['.TP', `.B ${quoted(term)}`, prose(meaning)])
}

/** Words that are read: dashes may be hyphens. */
export function prose(text: string): string {
  return atLineStart(escaped(text))
}

/** Words that are typed: dashes and quotes stay what they are. */
export function literal(text: string): string {
  return escaped(text).replaceAll('-', '\\-').replaceAll("'", '\\(aq')
}

function quoted(text: string): string {
  return `"${literal(text).replaceAll('"', '\\(dq')}"`
}

function escaped(text: string): string {
  const named: Record<string, string> = { '\\': '\\e', '~': '\\(ti', '^': '\\(ha', '`': '\\(ga', '•': '\\(bu' }
  return text.replace(/[\\~^`]|[^\x00-\x7f]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0
    return named[sign] ?? `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`
  })
}

/** A dot or a quote at the start of a line would be a request. */
function atLineStart(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line
}
