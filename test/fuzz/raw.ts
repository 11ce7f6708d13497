/** Raw HTTP: bytes over a socket, and responses read by an independent parser. */
import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  /** Names in lower case. */
  headers: Map<string, string>
  body: string
}

export interface Conversation {
  answers: RawAnswer[]
  /** Bytes after the last complete response. */
  rest: string
  /** Flag of a connection closed by the node. */
  closed: boolean
}

export interface Sending {
  /** Ends the client's side after sending. */
  end?: boolean
  /** Closes the connection after this number of responses, as a client does that needs no more. */
  answers?: number
  /** Expects responses without body, as for HEAD. */
  head?: true
}

const TIMEOUT_MS = 4000

/** Sends pieces one after another, and reads until the node closes, the expected responses are there, or a timeout. */
export function converse(
  port: number,
  pieces: readonly (string | Uint8Array)[],
  sending: Sending = {},
): Promise<Conversation> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    let closed = true
    const patience = setTimeout(() => {
      closed = false
      socket.destroy()
    }, TIMEOUT_MS)
    // A connection that is cut during writes is a response too.
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      if (sending.answers === undefined) return
      if (parse(Buffer.concat(chunks), sending).answers.length >= sending.answers) socket.destroy()
    })
    socket.on('close', () => {
      clearTimeout(patience)
      resolve({ ...parse(Buffer.concat(chunks), sending), closed })
    })
    socket.on('end', () => socket.end())
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
      if (sending.end === true) socket.end()
    })
  })
}

/** Sends bytes and resets the connection once they may have arrived; waits until the node may have noticed. */
export async function leave(port: number, text: string): Promise<void> {
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.write(text, 'latin1', () => resolve()))
  await pause()
  socket.resetAndDestroy()
  await pause()
}

function parse(bytes: Buffer, { head: isHead }: Sending): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = []
  let text = bytes.toString('latin1')
  for (;;) {
    const head = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(text)
    if (head === null) return { answers, rest: text }
    const status = Number(head[1])
    const headers = new Map(
      (head[2] ?? '').split('\r\n').filter((line) => line !== '').map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const from = head[0].length
    const found = isHead === true ? { body: '', end: from } : bodyAt(text, from, status, headers)
    if (found === undefined) return { answers, rest: text }
    // Interim responses precede the final one.
    if (status >= 200) answers.push({ status, headers, body: Buffer.from(found.body, 'latin1').toString('utf8') })
    text = text.slice(found.end)
  }
}

function bodyAt(
  text: string,
  from: number,
  status: number,
  headers: Map<string, string>,
): { body: string; end: number } | undefined {
  if (status < 200 || status === 204) return { body: '', end: from }
  if (headers.get('transfer-encoding') !== 'chunked') {
    const end = from + Number(headers.get('content-length') ?? 0)
    return end <= text.length ? { body: text.slice(from, end), end } : undefined
  }
  let body = ''
  let at = from
  for (;;) {
    const line = text.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(text.slice(at, line), 16)
    const next = line + 2 + size + 2
    if (next > text.length) return undefined
    if (size === 0) return { body, end: next }
    body += text.slice(line + 2, line + 2 + size)
    at = next
  }
}

/** Returns a request of these lines, with `Connection: close`, and a Host unless there is one. */
export function requestOf(lines: readonly string[], body = ''): string {
  const [first = '', ...headers] = lines
  const hasHost = headers.some((line) => /^host/i.test(line))
  const all = [first, ...(hasHost ? [] : ['Host: localhost']), ...headers, 'Connection: close']
  return `${all.join('\r\n')}\r\n\r\n${body}`
}
