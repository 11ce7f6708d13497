/** Requests over a bare socket, which no client library would send. */
import { connect } from 'node:net'
import { connect as connectSecure } from 'node:tls'

export interface RawAnswer {
  status: number
  /** Header lines as sent, by lower-case name; the last one counts. */
  headers: Record<string, string>
  text: string
  /** Body as JSON, empty for other bodies. */
  body: Record<string, unknown>
}

/** Sends bytes to a local port and reads until the connection ends; over TLS with a trusted `ca`. */
export function rawRequest(port: number, bytes: string | Buffer, ca?: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const send = (): boolean => socket.write(bytes)
    const socket = ca === undefined ? connect(port, '127.0.0.1', send) : connectSecure({ port, host: '127.0.0.1', ca }, send)
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')))
    socket.on('data', (chunk) => void chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString('utf8'))))
  })
}

/** Requests a target with these header lines; the connection ends with the response. */
export const rawTarget = (port: number, target: string, lines: string[], verb = 'GET'): Promise<RawAnswer> =>
  rawRequest(port, [`${verb} ${target} HTTP/1.1`, ...lines, 'Connection: close', '', ''].join('\r\n'))

function parse(answer: string): RawAnswer {
  const end = answer.indexOf('\r\n\r\n')
  const [first = '', ...lines] = answer.slice(0, end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  const payload = answer.slice(end + 4)
  const text = headers['transfer-encoding'] === 'chunked' ? dechunk(payload) : payload
  let body: Record<string, unknown> = {}
  try {
    body = JSON.parse(text) as Record<string, unknown>
  } catch {
    // Not every response is JSON.
  }
  return { status: Number(first.split(' ')[1]), headers, text, body }
}

function dechunk(payload: string): string {
  const bytes = Buffer.from(payload, 'utf8')
  const parts: Buffer[] = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (line < 0 || !(size > 0)) return Buffer.concat(parts).toString('utf8')
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
