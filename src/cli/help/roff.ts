/** Conversion of blocks into man pages in the language of man(7). */
import type { Block } from './blocks.js'

/** Man page. `about` is one line, lower case, no full stop. */
export interface Page {
  name: string
  /** Other names by which the page is found. */
  also?: readonly string[]
  section: 1 | 5 | 7
  about: string
  blocks: Block[]
}

/** Returns the source of a page; the same page gives the same bytes. */
export function roffPage({ name, also = [], section: number, about, blocks }: Page, version: string): string {
  const head = [
    '.\\" Written by "coffer man" from the command values; do not edit.',
    `.TH ${quoted(name.toUpperCase())} ${number} "" ${quoted(`coffer ${version}`)} "coffer manual"`,
    // No justification: long names would leave wide gaps.
    '.ad l',
    '.SH NAME',
    `${[name, ...also].map(literal).join(', ')} \\- ${prose(about)}`,
  ]
  return `${[...head, ...blocks.flatMap((block, at) => roffBlock(block, isHeading(blocks[at - 1])))].join('\n')}\n`
}

const isHeading = (before: Block | undefined): boolean => before !== undefined && 'heading' in before

/** Formats a block. A heading starts a paragraph; `isFirst` is true right after one. */
function roffBlock(block: Block, isFirst: boolean): string[] {
  const paragraph = isFirst ? [] : ['.PP']
  if ('heading' in block) {
    return [block.sub === true ? `.SS ${quoted(block.heading)}` : `.SH ${quoted(block.heading.toUpperCase())}`]
  }
  if ('text' in block) return [...paragraph, prose(block.text)]
  if ('code' in block) {
    return [...paragraph, '.RS 4', '.EX', ...block.code.map((line) => atLineStart(literal(line))), '.EE', '.RE']
  }
  return block.terms.flatMap(([term, meaning]) => ['.TP', `.B ${quoted(term)}`, prose(meaning)])
}

/** Escapes text; dashes may become hyphens. */
export function prose(text: string): string {
  return atLineStart(escaped(text))
}

/** Escapes literal text; dashes and quotes stay as they are. */
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

/** Protects a dot or quote at the start of a line, which would start a request. */
function atLineStart(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line
}
