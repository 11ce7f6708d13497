/** Parses a mail as a mail program does: decoded headers, text and HTML. */

export interface ReadMail {
  /** Headers by lower-case name, unfolded and decoded; several of a name are joined by line breaks. */
  headers: Map<string, string>
  subject: string
  text: string
  html: string
}

/** Parses a message of text parts, as the node sends them. */
export function readMail(raw: string): ReadMail {
  const { headers, body } = split(raw)
  const found = { text: '', html: '' }
  collect(headers, body, found)
  return { headers, subject: headers.get('subject') ?? '', ...found }
}

function collect(headers: Map<string, string>, body: string, found: { text: string; html: string }): void {
  const type = headers.get('content-type') ?? 'text/plain'
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1]
  if (boundary !== undefined) {
    for (const part of body.split(`--${boundary}`).slice(1, -1)) {
      const inner = split(part.replace(/^\r?\n/, ''))
      collect(inner.headers, inner.body, found)
    }
    return
  }
  const text = decodeBody(body, headers.get('content-transfer-encoding') ?? '7bit').replace(/\r\n/g, '\n')
  if (/^text\/html/i.test(type)) found.html += text
  else found.text += text
}

function split(raw: string): { headers: Map<string, string>; body: string } {
  const at = /\r?\n\r?\n/.exec(raw)
  const head = at === null ? raw : raw.slice(0, at.index)
  const headers = new Map<string, string>()
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    const key = name.toLowerCase()
    const former = headers.get(key)
    headers.set(key, former === undefined ? decodeWords(value) : `${former}\n${decodeWords(value)}`)
  }
  return { headers, body: at === null ? '' : raw.slice(at.index + at[0].length) }
}

function decodeWords(text: string): string {
  return text
    .replace(/(=\?[^?]+\?[BQ]\?[^?]*\?=)\s+(?==\?)/gi, '$1')
    .replace(/=\?[^?]+\?([BQ])\?([^?]*)\?=/gi, (_, how: string, word: string) =>
      how.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString('utf8') : unquote(word.replaceAll('_', ' ')),
    )
}

function decodeBody(body: string, encoding: string): string {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8')
  if (/quoted-printable/i.test(encoding)) return unquote(body.replace(/=\r?\n/g, ''))
  return body
}

function unquote(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
