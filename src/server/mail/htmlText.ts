/** The text of a page, for readers of mail that show no pages: links keep their addresses, blocks their lines. */

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Text with its character references resolved. */
export function plainOf(markup: string): string {
  return markup.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole
    const point = typeof decimal === 'string' ? Number(decimal) : parseInt(String(hex), 16)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}

/** The readable text of a page. */
export function textOfHtml(html: string): string {
  const visible = html
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<(head|style|script|title)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/\s+/g, ' ')
  const marked = visible
    .replace(/<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>([\s\S]*?)<\/a\s*>/gi, (_, double, single, inner) =>
      link(String(double ?? single), String(inner)),
    )
    .replace(/<br\b[^>]*>/gi, '\n')
    .replace(/<li\b[^>]*>/gi, '\n- ')
    .replace(/<\/?(p|div|h[1-6]|ul|ol|table|blockquote|pre|section|article|header|footer|hr)\b[^>]*>/gi, '\n\n')
    .replace(/<\/?(tr|dt|dd)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '')
  return plainOf(marked)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** A link as text: its words, then its address on a line of its own, which mail programs make clickable again. */
function link(address: string, inner: string): string {
  const words = inner.replace(/<[^>]*>/g, '').trim()
  return words === '' || words === address ? address : `${words}:\n${address}\n`
}
