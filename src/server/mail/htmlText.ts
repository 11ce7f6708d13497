/** Plain text of an HTML mail: links keep their URLs, block elements their lines. */

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Returns text with its character references decoded. */
export function plainOf(markup: string): string {
  return markup.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole
    const point = typeof decimal === 'string' ? Number(decimal) : parseInt(String(hex), 16)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}

/** Elements whose content is skipped up to their end tag. */
const SKIPPED = new Set(['head', 'script', 'style', 'title'])

/** Text that replaces a tag. */
const BREAKS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['br', 'dd', 'dt', 'tr'].map((tag) => [tag, '\n'])),
  ...Object.fromEntries(
    ['article', 'blockquote', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'ol', 'p', 'pre', 'section', 'table', 'ul'].map(
      (tag) => [tag, '\n\n'],
    ),
  ),
}

const MAX_TAG_LENGTH = 4000

/** Returns the readable text of an HTML page in one pass, in time linear in its length for any input. */
export function textOfHtml(html: string): string {
  const lowerCase = html.toLowerCase()
  let parts: string[] = []
  let link: { address: string; before: string[] } | undefined
  for (let at = 0; at < html.length; ) {
    const opens = html.indexOf('<', at)
    const text = html.slice(at, opens < 0 ? html.length : opens)
    if (text !== '') parts.push(plainOf(text.replace(/\s+/g, ' ')))
    if (opens < 0) break
    const isComment = html.startsWith('<!--', opens)
    const closes = html.indexOf(isComment ? '-->' : '>', opens)
    if (closes < 0) break
    at = closes + (isComment ? 3 : 1)
    if (isComment) continue
    const tag = html.slice(opens, Math.min(at, opens + MAX_TAG_LENGTH))
    const [, end = '', name = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(tag)?.map((part) => part.toLowerCase()) ?? []
    if (end === '' && SKIPPED.has(name)) {
      const over = lowerCase.indexOf(`</${name}`, at)
      if (over < 0) break
      at = over
    } else if (name === 'a') {
      if (link !== undefined) parts = [...link.before, linkText(link.address, parts.join(''))]
      const [, double, single] = (end === '' ? /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag) : undefined) ?? []
      const address = double ?? single
      link = address === undefined ? undefined : { address: plainOf(address), before: parts }
      if (link !== undefined) parts = []
    } else if (name === 'li') parts.push(end === '' ? '\n- ' : '')
    else if (end === '' || name !== 'br') parts.push(BREAKS[name] ?? '')
  }
  if (link !== undefined) parts = [...link.before, linkText(link.address, parts.join(''))]
  return tidy(parts.join(''))
}

/** Returns a link as text: its label, then its URL on a line of its own, which mail programs make clickable. */
function linkText(address: string, inner: string): string {
  const words = inner.trim()
  return words === '' || words === address ? address : `${words}:\n${address}\n`
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line, at) => line !== '' || lines[at - 1] !== '').join('\n').trim()
}
